import { HostsideError, type JsonObject } from "@hostside/core";
import { findLostNumber, isJsonObject, jsonValuesBeyond, rememberDigits } from "@hostside/core/implement";
import type { RequestId, Transport } from "./transport.ts";

/**
 * Deepest nesting of objects and arrays that is let in. Far above honest messages, far below what
 * exhausts the stack of code that walks a message recursively.
 */
export const maxMessageDepth = 512;
// A server may batch what it has to say at one moment.
const mostBatched = 1000;

/** The server of a message, and how many values a message may have. */
export interface ValueLimit {
  readonly serverId: string;
  readonly maxMessageValues: number;
}

/** Why a JSON text is not to be parsed: it has more values than its server may send at once. */
export function excessValues(text: string, limit: ValueLimit): HostsideError | undefined {
  const values = jsonValuesBeyond(text, limit.maxMessageValues);
  return values === undefined ? undefined : tooManyValues(values, limit);
}

/** The error for a message of that many values. */
export function tooManyValues(values: number, { serverId, maxMessageValues }: ValueLimit): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} sent a message of ${values} JSON values (limits.maxMessageValues is ${maxMessageValues})`,
    { code: "message_too_large", serverId, details: { usage: { used: values, limit: maxMessageValues } } },
  );
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
function admitDepth(message: unknown): unknown {
  if (!isDeeperThan(message, maxMessageDepth)) return message;
  if (!isJsonObject(message) || !isJsonObject(message["result"])) return undefined;
  const members = Object.entries(message["result"]).map(([name, value]) => {
    const isList = lists.includes(name) && Array.isArray(value);
    return [name, isList ? cutAt(value, maxMessageDepth - levelsAroundEntry + 1) : value];
  });
  const admitted = { ...message, result: Object.fromEntries(members) as JsonObject };
  return isDeeperThan(admitted, maxMessageDepth) ? undefined : admitted;
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
function answeredRequest(message: unknown): RequestId | undefined {
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
 * True if an object can be meant as a JSON-RPC message, right or wrong: it says so, or has a
 * method, an id, or an error as JSON-RPC has them. A line of a log that happens to be JSON has none
 * of these.
 */
export function isMessage({ method, id, jsonrpc, error }: JsonObject): boolean {
  if (typeof method === "string" || typeof id === "number" || typeof id === "string" || jsonrpc !== undefined)
    return true;
  return isJsonObject(error) && typeof error["code"] === "number";
}

/** JSON that may be let in, or why it may not. */
export type AdmittedText =
  | { readonly json: unknown; readonly fault?: undefined }
  | {
      /** Completes "a message that is …". */
      readonly fault: string;
      /** The request that the text answers, as far as it shows one. */
      readonly id: RequestId | undefined;
      /** The error of a text with too many values. */
      readonly excess?: HostsideError;
    };

/**
 * Parses the text of a message, or of a batch, that is within its server's limits. Remembers of
 * structured content whether its numbers keep their digits.
 */
export function admitText(text: string, limit: ValueLimit): AdmittedText {
  const excess = excessValues(text, limit);
  if (excess !== undefined) return { fault: "too large", id: recoverRequestId(endsOf(text)), excess };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // A byte order mark, or what is cut off: the caller says where it came from.
    return { fault: "not JSON", id: recoverRequestId(endsOf(text)) };
  }
  if (Array.isArray(json) && json.length > mostBatched)
    return { fault: `a batch of more than ${mostBatched} messages`, id: undefined };
  // Each level takes two bytes at least, so that short texts need no walk.
  const admitted = text.length >= 2 * maxMessageDepth ? admitDepth(json) : json;
  if (admitted === undefined)
    return { fault: `nested deeper than ${maxMessageDepth} levels`, id: answeredRequest(json) };
  const result = isJsonObject(admitted) ? admitted["result"] : undefined;
  const structured = isJsonObject(result) ? result["structuredContent"] : undefined;
  if (typeof structured === "object" && structured !== null) {
    rememberDigits(structured, findLostNumber(text, ["result", "structuredContent"]));
  }
  return { json: admitted };
}

const strict = new TextDecoder("utf-8", { fatal: true });

/**
 * True if the bytes that `text` was decoded from are valid UTF-8. Looks at them only if there is a
 * U+FFFD in the text: one that the server wrote, or one that stands for broken bytes.
 */
export function isUtf8(bytes: Uint8Array, text: string): boolean {
  if (!text.includes("\uFFFD")) return true;
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Text at either end of a message; they may overlap. */
export interface MessageEnds {
  readonly head: string;
  readonly tail: string;
}

/** The ends of a whole message, as far as an id is looked for. */
export function endsOf(message: string): MessageEnds {
  return { head: message.slice(0, 1024), tail: message.slice(-1024) };
}

/**
 * Which request an answer that cannot be parsed belongs to, being too long or broken, read from its
 * two ends: servers write `{"jsonrpc":"2.0","id":7,"result":…` or
 * `{"result":…,"jsonrpc":"2.0","id":7}`. `undefined` when neither end shows it, or when the line is
 * no answer: a request of the server has an id, too, but of the server's own.
 */
export function recoverRequestId({ head, tail }: MessageEnds): RequestId | undefined {
  const members = readFirstMembers(head);
  if (!members.has("result") && !members.has("error")) return undefined;
  return asRequestId(members.get("id") ?? lastId.exec(tail)?.[1]);
}

// The text right before the brace that ends a line is a member of the outermost object, whatever
// precedes it.
const lastId =
  /[,{]\s{0,8}"id"\s{0,8}:\s{0,8}(-?\d{1,16}|"[^"\\]{0,256}")\s{0,8}(?:,\s{0,8}"jsonrpc"\s{0,8}:\s{0,8}"2\.0"\s{0,8})?\}\s{0,8}$/;

/**
 * The members at the start of an object, as JSON text, up to the first one whose value is an object
 * or array: that one is the last, with an empty value.
 */
function readFirstMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  const opening = /^\uFEFF?\s{0,8}\{/.exec(text);
  if (!opening) return members;
  const member =
    /\s{0,8}"([^"\\]{0,64})"\s{0,8}:\s{0,8}(?:("(?:[^"\\]|\\.){0,256}"|[-+.\w]{1,32})\s{0,8}([,}])|[{["])/y;
  member.lastIndex = opening[0].length;
  for (let match = member.exec(text); match?.[1] !== undefined; match = member.exec(text)) {
    members.set(match[1], match[2] ?? "");
    if (match[3] !== ",") break;
  }
  return members;
}

function asRequestId(json: string | undefined): RequestId | undefined {
  if (json === undefined || json === "") return undefined;
  let id: unknown;
  try {
    id = JSON.parse(json);
  } catch {
    // No id after all; the caller reports the line.
    return undefined;
  }
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
