import { HostsideError, type JsonObject } from "@hostside/core";
import { findLostNumber, isJsonObject, jsonValuesBeyond, rememberDigits } from "@hostside/core/implement";
import type { Transport } from "./transport.ts";

/**
 * Deepest nesting of objects and arrays that is let in. Far above honest messages, far below what
 * exhausts the stack of code that walks a message recursively.
 */
export const maxMessageDepth = 512;
// A server may batch what it has to say at one moment.
const mostBatched = 1000;

/** What a batch of more is. */
export const tooManyMessages: string = `a batch of more than ${mostBatched} messages`;

/** Whether parsed JSON is a batch of more than 1,000 messages. */
export function isLargeBatch(json: unknown): boolean {
  return Array.isArray(json) && json.length > mostBatched;
}

/** Whose messages are counted, and how many values one may have. */
export interface ValueLimit {
  readonly serverId: string;
  readonly maxMessageValues: number;
}

/** Why a JSON text is not to be parsed: it has more values than its server may send at once. */
export function excessValues(text: string, { serverId, maxMessageValues }: ValueLimit): HostsideError | undefined {
  const values = jsonValuesBeyond(text, maxMessageValues);
  if (values === undefined) return undefined;
  return new HostsideError(
    `server ${JSON.stringify(serverId)} sent a message of ${values} JSON values (limits.maxMessageValues is ${maxMessageValues})`,
    { code: "message_too_large", serverId, details: { usage: { used: values, limit: maxMessageValues } } },
  );
}

/** Whether a parsed message is nested deeper than {@linkcode maxMessageDepth}. */
export function isTooDeep(message: unknown): boolean {
  return isDeeperThan(message, maxMessageDepth);
}

// The entries of an answer are inside the message, its result, and the array.
const levelsAroundEntry = 3;
const lists = ["tools", "prompts", "resources", "resourceTemplates"];

/**
 * Returns the message if it may be let in. One entry that is nested too deeply must not cost a
 * whole list: in an answer that lists something, the entries are cut at the deepest level that is
 * let in, which is still deeper than any schema that is taken. `undefined`: it is too deep
 * elsewhere.
 */
export function admitDepth(message: unknown): unknown {
  if (!isTooDeep(message)) return message;
  if (!isJsonObject(message) || !isJsonObject(message["result"])) return undefined;
  const members = Object.entries(message["result"]).map(([name, value]) => {
    const isList = lists.includes(name) && Array.isArray(value);
    return [name, isList ? cutAt(value, maxMessageDepth - levelsAroundEntry + 1) : value];
  });
  const admitted = { ...message, result: Object.fromEntries(members) as JsonObject };
  return isTooDeep(admitted) ? undefined : admitted;
}

function cutAt(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cutAt(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAt(item, levels - 1)]));
}

// The recursion goes no deeper than `levels`. It allocates nothing, because every message is
// checked.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels === 0) return typeof value === "object" && value !== null;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const item of items)
      if (typeof item === "object" && item !== null && isDeeperThan(item, levels - 1)) return true;
  } else if (isJsonObject(value)) {
    for (const name in value) {
      const member = value[name];
      if (typeof member === "object" && member !== null && isDeeperThan(member, levels - 1)) return true;
    }
  }
  return false;
}

/** The request that a message answers; `undefined` when it is no answer. */
export function answeredRequest(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || Object.hasOwn(message, "method")) return undefined;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/**
 * Hands a message on, or says that it is nested too deeply: to the request that it answers, if it
 * does.
 */
export function rejectDeepMessage(message: JsonObject, transport: Transport, serverId: string): void {
  const admitted = admitDepth(message);
  if (isJsonObject(admitted)) return transport.onmessage?.(admitted);
  const text = `server ${JSON.stringify(serverId)} sent a message nested deeper than ${maxMessageDepth} levels`;
  const answered = answeredRequest(message);
  if (answered === undefined) transport.onerror?.(new Error(text));
  else transport.onrequestfailed?.(answered, new HostsideError(text, { code: "protocol_error", serverId }));
}

/**
 * Whether an object can be meant as a JSON-RPC message, right or wrong: it says so, or has a
 * method, an id, or an error as JSON-RPC has them. A line of a log that happens to be JSON has none
 * of these.
 */
export function isMessage({ method, id, jsonrpc, error }: JsonObject): boolean {
  if (typeof method === "string" || typeof id === "number" || typeof id === "string" || jsonrpc !== undefined)
    return true;
  return isJsonObject(error) && typeof error["code"] === "number";
}

/**
 * Parses the text of a message. Remembers of structured content whether its numbers keep their
 * digits. Throws a `SyntaxError` for a text that is not valid JSON.
 */
export function parseMessage(text: string): unknown {
  const message: unknown = JSON.parse(text);
  const result = isJsonObject(message) ? message["result"] : undefined;
  const structured = isJsonObject(result) ? result["structuredContent"] : undefined;
  if (typeof structured === "object" && structured !== null) {
    rememberDigits(structured, findLostNumber(text, ["result", "structuredContent"]));
  }
  return message;
}
