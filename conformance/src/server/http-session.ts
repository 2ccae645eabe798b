import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { truncateText, type JsonObject, type JsonValue } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { createMessageRouter, replyTo, toAnswer } from "./message-router.ts";
import type { Answer, HttpRequest, HttpResponse, HttpSession, RawMessage } from "./raw-session.ts";
import { createSseReader } from "./sse-reader.ts";

/** Options of {@linkcode openHttpSession}. */
export interface HttpSessionOptions {
  readonly id: string;
  readonly trace: TraceRecorder;
  /** How long an answer may take by default, in milliseconds. */
  readonly answerMs: number;
  /** Sent with every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const excerptLength = 400;
const maxBodyLength = 16 * 1024 * 1024;

/** A session over Streamable HTTP that remembers the session id, and nothing else, between requests. Opening it sends nothing. */
export function openHttpSession(url: URL, options: HttpSessionOptions): HttpSession {
  const { id, trace, answerMs } = options;
  const session = { id: undefined as string | undefined, version: undefined as string | undefined };
  const open = new Set<{ destroy: () => void }>();
  const router = createMessageRouter({ reply: (message) => void post(replyTo(message), {}) });

  const exchange = (init: HttpRequest, watch: Watch = {}): Promise<HttpResponse> => {
    trace.record({ kind: "http", session: id, text: `${init.method} ${url.pathname} ${headerText(init.headers)}` });
    if (init.body !== undefined) trace.record({ kind: "send", session: id, text: init.body });
    return send(url, { init, timeoutMs: init.timeoutMs ?? answerMs, open, watch }).then((response) => {
      trace.record({ kind: "http", session: id, text: `${response.status} ${headerText(response.headers)}` });
      return response;
    });
  };
  const post = async (
    message: JsonValue,
    extra: { headers?: Readonly<Record<string, string>>; timeoutMs?: number },
  ): Promise<HttpResponse> => {
    const reader = createSseReader(({ data }) => {
      // An event without data only carries an id, for clients that resume.
      if (data !== "") receive(data);
    });
    const response = await exchange(
      {
        method: "POST",
        headers: headersFor(options, session, { ...modernHeaders(message), ...extra.headers }),
        body: JSON.stringify(message),
        ...extraTime(extra.timeoutMs),
      },
      {
        // At once: on an event stream the answer comes before the end of the response, and the next request after the answer.
        onHeaders(headers) {
          session.id = headers.get("mcp-session-id") ?? session.id;
        },
        onChunk: (chunk, contentType) => contentType.startsWith("text/event-stream") && reader.push(chunk),
      },
    );
    // Whatever the content type says: that it is wrong is told by a check of its own.
    if (!isType(response, "text/event-stream") && response.body !== "") receive(response.body);
    return response;
  };
  const receive = (text: string): void => {
    trace.record({ kind: "receive", session: id, text });
    for (const message of parseMessages(text)) router.receive(message);
  };
  return {
    id,
    unsolicited: router.unsolicited,
    waitFor: (matches, timeoutMs) => router.waitFor(matches, timeoutMs),
    get sessionId() {
      return session.id;
    },
    async send(message) {
      await post(message, {});
    },
    async notify(method, params) {
      await post({ jsonrpc: "2.0", method, ...(params && { params }) }, {});
    },
    async request(method, params, { id: requestId = router.nextId(), timeoutMs = answerMs, headers } = {}) {
      const answer = router.awaitAnswer(requestId, timeoutMs);
      const message = { jsonrpc: "2.0", id: requestId, method, ...(params && { params }) };
      void post(message, { timeoutMs, ...(headers && { headers }) }).then((response) =>
        router.settle(requestId, withoutAnswer(response)),
      );
      const settled = await answer;
      if (method === "initialize") session.version = protocolVersionOf(settled);
      return settled;
    },
    fetch: (init) => exchange({ ...init, headers: headersFor(options, session, init.headers) }),
    async close() {
      if (session.id !== undefined)
        await exchange({ method: "DELETE", headers: headersFor(options, session), timeoutMs: 1000 });
      for (const request of open) request.destroy();
      router.end("the session was closed");
    },
  };
}

interface Watch {
  readonly onHeaders?: (headers: ReadonlyMap<string, string>) => void;
  readonly onChunk?: (chunk: string, contentType: string) => void;
}

interface Sending {
  readonly init: HttpRequest;
  readonly timeoutMs: number;
  readonly open: Set<{ destroy: () => void }>;
  readonly watch: Watch;
}

function send(url: URL, { init, timeoutMs, open, watch }: Sending): Promise<HttpResponse> {
  const none = (reason: string): HttpResponse => ({ status: 0, headers: new Map(), body: reason });
  return new Promise((resolve) => {
    // A response that has begun counts as far as it came: a stream never ends by itself.
    let begun: () => HttpResponse = () => none(`no response within ${timeoutMs} ms`);
    const timer = setTimeout(() => {
      finish(begun());
      request.destroy();
    }, timeoutMs);
    const makeRequest = url.protocol === "https:" ? httpsRequest : httpRequest;
    // A connection of its own for each request: one that is kept alive may be closed by the server just when it is used again.
    const request = makeRequest(url, { method: init.method, headers: init.headers, agent: false }, (response) => {
      const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      const status = response.statusCode ?? 0;
      let body = "";
      begun = () => ({ status, headers, body });
      watch.onHeaders?.(headers);
      if (init.headersOnly) {
        finish(begun());
        request.destroy();
        return;
      }
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (body.length < maxBodyLength) body += chunk;
        watch.onChunk?.(chunk, headers.get("content-type") ?? "");
      });
      response.on("close", () => finish(begun()));
      // A cut stream is told by "close", too; what came before it counts.
      response.on("error", () => {});
    });
    const finish = (response: HttpResponse): void => {
      clearTimeout(timer);
      open.delete(request);
      resolve(response);
    };
    open.add(request);
    request.on("error", (error) => finish(none(reasonOf(error))));
    request.end(init.body);
  });
}

// Node's error for a name with several addresses has no message of its own.
function reasonOf(error: Error): string {
  return error.message || ("code" in error ? String(error.code) : error.name);
}

function headersFor(
  options: HttpSessionOptions,
  session: { readonly id: string | undefined; readonly version: string | undefined },
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers = new Map<string, string>([
    ["content-type", "application/json"],
    ["accept", "application/json, text/event-stream"],
    ...Object.entries(options.headers ?? {}),
  ]);
  if (session.id !== undefined) headers.set("mcp-session-id", session.id);
  if (session.version !== undefined) headers.set("mcp-protocol-version", session.version);
  for (const [name, value] of Object.entries(extra)) {
    if (value === "") headers.delete(name.toLowerCase());
    else headers.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(headers);
}

// A request of the modern era says in its headers what its body says (2026-07-28, basic/transports).
function modernHeaders(message: JsonValue): Record<string, string> {
  const params = isJsonObject(message) ? message["params"] : undefined;
  const meta = isJsonObject(params) && isJsonObject(params["_meta"]) ? params["_meta"] : {};
  const version = meta["io.modelcontextprotocol/protocolVersion"];
  if (!isJsonObject(message) || !isJsonObject(params) || typeof version !== "string") return {};
  const name = params["name"] ?? params["uri"];
  return {
    "mcp-protocol-version": version,
    "mcp-method": typeof message["method"] === "string" ? message["method"] : "",
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}

// A POST whose response has ended without the answer: the caller should know what came instead of waiting.
function withoutAnswer({ status, headers, body }: HttpResponse): Answer {
  const contentType = headers.get("content-type");
  const error = parseMessages(body).find((message) => isJsonObject(message["error"]));
  if (error !== undefined) return toAnswer(error);
  if (status === 0) return { kind: "gone", reason: body };
  return { kind: "http", status, contentType, excerpt: truncateText(body, excerptLength) };
}

function parseMessages(text: string): readonly RawMessage[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter((message): message is JsonObject => isJsonObject(message));
  } catch {
    // Not JSON: the caller judges by what is missing.
    return [];
  }
}

function protocolVersionOf(answer: Answer): string | undefined {
  const version =
    answer.kind === "result" && isJsonObject(answer.result) ? answer.result["protocolVersion"] : undefined;
  return typeof version === "string" ? version : undefined;
}

function isType({ headers }: HttpResponse, type: string): boolean {
  return headers.get("content-type")?.toLowerCase().startsWith(type) ?? false;
}

function extraTime(timeoutMs: number | undefined): { timeoutMs?: number } {
  return timeoutMs === undefined ? {} : { timeoutMs };
}

function headerText(headers: Readonly<Record<string, string>> | ReadonlyMap<string, string> | undefined): string {
  const entries = headers instanceof Map ? [...headers] : Object.entries(headers ?? {});
  return entries
    .map(([name, value]) => `${name}: ${/authorization|cookie|api-key|token/i.test(name) ? "***" : value}`)
    .join("; ");
}
