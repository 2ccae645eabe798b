import type { JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { createHttpWire, inTime, withoutAnswer, type HttpSessionOptions, type Watch } from "./http-wire.ts";
import { createMessageRouter, replyTo, type Sending, createSessionBase } from "./message-router.ts";
import type { Answer, HttpRequest, HttpResponse, HttpSession } from "./raw-session.ts";
import { readObjects } from "./read-objects.ts";

/**
 * A session over Streamable HTTP that remembers the session id, and nothing else, between requests.
 * Opening it sends nothing.
 */
export function openHttpSession(url: URL, options: HttpSessionOptions): HttpSession {
  const { id, trace, answerMs } = options;
  const session = { id: undefined as string | undefined, version: undefined as string | undefined };
  const wire = createHttpWire(options);
  const router = createMessageRouter((message) => void post(replyTo(message), {}));

  const exchange = (init: HttpRequest, watch?: Watch): Promise<HttpResponse> => wire.exchange(url, init, watch);
  const post = async (message: JsonValue, { headers, timeoutMs }: Sending): Promise<HttpResponse> => {
    const onEvent = ({ data }: EventSourceMessage): void => {
      // An event without data only carries an id, for clients that resume.
      if (data !== "") receive(data);
    };
    const reader = createParser({ onEvent });
    const response = await exchange(
      {
        method: "POST",
        headers: headersFor(options, session, { ...modernHeaders(message), ...headers }),
        body: JSON.stringify(message),
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
      {
        // At once: on an event stream the answer comes before the end of the response, and the next
        // request after the answer.
        onHeaders(answered) {
          session.id = answered.get("mcp-session-id") ?? session.id;
        },
        onChunk: (chunk, contentType) => contentType.startsWith("text/event-stream") && reader.feed(chunk),
      },
    );
    // Whatever the content type says: that it is wrong is told by a check of its own.
    const isStream = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream");
    if (isStream !== true && response.body !== "") receive(response.body);
    return response;
  };
  const receive = (text: string): void => {
    trace.record({ kind: "receive", session: id, text });
    for (const value of readObjects(text)) router.receive(value);
  };
  const base = createSessionBase(
    { id, answerMs, router },
    (message) => post(message, {}),
    (message, sending) => {
      void post(message, sending).then((response) => router.settle(message["id"] ?? null, withoutAnswer(response)));
    },
  );
  return {
    ...base,
    get sessionId() {
      return session.id;
    },
    async request(method, params, options) {
      const answer = await base.request(method, params, options);
      if (method === "initialize") session.version = protocolVersionOf(answer);
      return answer;
    },
    fetch: async (init) => inTime(await exchange({ ...init, headers: headersFor(options, session, init.headers) })),
    hangUp: () => wire.hangUp(),
    async close() {
      if (session.id !== undefined)
        await exchange({ method: "DELETE", headers: headersFor(options, session), timeoutMs: 1000 });
      wire.hangUp();
      router.end("the session was closed");
    },
  };
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

// A request of the modern era says in its headers what its body says (2026-07-28,
// basic/transports).
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

function protocolVersionOf(answer: Answer): string | undefined {
  const version =
    answer.kind === "result" && isJsonObject(answer.result) ? answer.result["protocolVersion"] : undefined;
  return typeof version === "string" ? version : undefined;
}
