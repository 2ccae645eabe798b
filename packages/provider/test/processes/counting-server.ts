import type { JsonObject, MemoryEntry } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { OddAnswer, OddMessage } from "./odd-answers.ts";

/** Which revisions a server speaks, and whether it opens sessions. */
export type ServerKind = "legacy" | "legacy-with-session" | "modern";

/** What was seen of the calls, by the text in their arguments. */
export interface CallCount {
  readonly times: Map<string, number>;
  /** How often a refusal allowed to send it again. */
  readonly allowed: Map<string, number>;
}

/** What a call with this text is answered with. */
export type AnswerOf<Answer> = (text: string) => Answer | undefined;

const unknownMethod = { error: { code: -32_601, message: "Method not found" } };
const good = { result: { content: [], resultType: "complete" } };

/** Makes an empty count. */
export function createCallCount(): CallCount {
  return { times: new Map(), allowed: new Map() };
}

function add(counter: Map<string, number>, text: string): void {
  counter.set(text, (counter.get(text) ?? 0) + 1);
}

/** What a server of this kind answers to anything but a call; absent for a notification. */
function answerOther(kind: ServerKind, { id, method }: JsonObject): JsonObject | undefined {
  if (id === undefined) return undefined;
  const capabilities = { tools: {} };
  if (kind === "modern" && method === "server/discover")
    return { result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities } };
  if (kind !== "modern" && method === "initialize")
    return { result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } } };
  if (method !== "tools/list") return unknownMethod;
  return { result: { resultType: "complete", tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
}

function textOf({ params }: JsonObject): string {
  const args = isJsonObject(params) ? params["arguments"] : undefined;
  return isJsonObject(args) && typeof args["text"] === "string" ? args["text"] : "";
}

function writeMessage({ names, body }: OddMessage, id: unknown): JsonObject {
  return { jsonrpc: "2.0", id: names === "request" ? (id as string) : null, ...(body as JsonObject) };
}

/**
 * A server in this process behind a `fetch`. It runs every call that reaches it, then answers
 * oddly.
 */
export function createCountingFetch(
  kind: ServerKind,
  count: CallCount,
  answerOf: AnswerOf<OddAnswer>,
): (url: string, init: RequestInit) => Promise<Response> {
  const sessions = new Set<string>();
  let opened = 0;
  return async (_url, { method, headers, body }) => {
    if (method !== "POST" || typeof body !== "string") return new Response(null, { status: 405 });
    const message = JSON.parse(body) as JsonObject;
    const sent = new Headers(headers);
    if (message["method"] !== "tools/call") {
      const answer = answerOther(kind, message);
      if (answer === undefined) return new Response(null, { status: 202 });
      const opensSession = kind === "legacy-with-session" && message["method"] === "initialize";
      if (opensSession) sessions.add(`session-${(opened += 1)}`);
      return Response.json(
        { jsonrpc: "2.0", id: message["id"], ...answer },
        { headers: opensSession ? { "mcp-session-id": `session-${opened}` } : {} },
      );
    }
    const text = textOf(message);
    add(count.times, text);
    const answer = answerOf(text);
    if (answer === undefined) return Response.json({ jsonrpc: "2.0", id: message["id"], ...good });
    if (answer.kind === "loss") throw failure(answer.code);
    const namesSession = sessions.has(sent.get("mcp-session-id") ?? "");
    const wantsScope = (answer.headers["www-authenticate"] ?? "").includes("insufficient_scope");
    const refusesToken = answer.status === 401 || (answer.status === 403 && wantsScope);
    const maySendAgain = refusesToken
      ? sent.get("authorization") === "Bearer old"
      : answer.status === 404 && namesSession;
    if (maySendAgain) add(count.allowed, text);
    return toResponse(answer, message["id"]);
  };
}

function failure(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), code === "" ? {} : { code }) });
}

function toResponse(answer: Extract<OddAnswer, { readonly kind: "reply" }>, id: unknown): Response {
  const { status, headers, body, asEvents, eventId, cutBy } = answer;
  const text = typeof body === "string" ? body : JSON.stringify(writeMessage(body, id));
  const type = asEvents ? { "content-type": "text/event-stream" } : {};
  const isBodiless = status === 202 || status === 204;
  const written = asEvents ? `${eventId ? "id: 1\n" : ""}data: ${text}\n\n` : text;
  return new Response(isBodiless ? null : toStream(written, cutBy), { status, headers: { ...headers, ...type } });
}

function toStream(text: string, cutBy: string | undefined): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  // Cut off in the middle, so that some were seen and some were not.
  const seen = cutBy === undefined ? bytes : bytes.subarray(0, bytes.length >> 1);
  const cut = Object.assign(new Error("cut"), { syscall: "connect", code: cutBy });
  let began = false;
  return new ReadableStream({
    pull(stream) {
      if (!began && seen.length > 0) stream.enqueue(seen);
      else if (cutBy === undefined) stream.close();
      else stream.error(cut);
      began = true;
    },
  });
}

/** The server's end of a pair of transports, as far as this server needs it. */
interface ServerEnd {
  onmessage?: ((message: JsonObject) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/**
 * The same over one channel, as over stdio: each call is answered with a message, or with the end
 * of the connection.
 */
export function serveCounting(
  kind: ServerKind,
  count: CallCount,
  answerOf: AnswerOf<OddMessage | "end">,
): MemoryEntry["serve"] {
  return (serverTransport: never) => {
    const transport = serverTransport as ServerEnd;
    const send = (id: unknown, answer: JsonObject): void =>
      void transport.send({ jsonrpc: "2.0", id: id as string, ...answer }).catch(() => {});
    transport.onmessage = (message) => {
      const { id, method } = message;
      if (method !== "tools/call") {
        const answer = answerOther(kind, message);
        if (answer !== undefined) send(id, answer);
        return;
      }
      const text = textOf(message);
      add(count.times, text);
      const answer = answerOf(text);
      if (answer === undefined) send(id, good);
      else if (answer === "end") void transport.close();
      else void transport.send(writeMessage(answer, id)).catch(() => {});
    };
    return transport.start();
  };
}
