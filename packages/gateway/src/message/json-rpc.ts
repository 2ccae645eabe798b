import type { JsonObject, JsonValue } from "@hostside/core";
import {
  describeLostNumber,
  dropUnseen,
  findLostNumber,
  isJsonObject,
  jsonValuesBeyond,
  withoutHalves,
  type LostNumber,
} from "@hostside/core/implement";

/** Ids that requests may have; JSON-RPC allows `null`, MCP does not. */
export type RequestId = string | number;

/** A request, with `params` that are there in any case. */
export interface RequestMessage {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** A number of its text that is another one in `params`: it is not to be handled. */
  readonly lost?: LostNumber;
}

/**
 * Codes of errors, by JSON-RPC 2.0 and
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes.
 */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** An error of this server: it does not do that now. */
  refused: -32_000,
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/** The error of a response. */
export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** A response that brings a result. */
export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

/** A response that brings an error; of a request that could not be read, without an id. */
export function errorMessage(id: RequestId | undefined, failure: RpcFailure): JsonObject {
  return { jsonrpc: "2.0", id: id ?? null, error: { ...failure } };
}

/** A notification. */
export function notificationMessage(method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, ...(params !== undefined && { params }) };
}

/** A message by its kind. `"invalid"` has the id that an answer can name. */
export type ReadMessage =
  | { readonly kind: "request"; readonly request: RequestMessage }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response"; readonly id: RequestId; readonly message: JsonObject }
  | { readonly kind: "invalid"; readonly id: RequestId | undefined; readonly reason: string };

const noParams: JsonObject = Object.freeze({});

/**
 * Several messages in one, which only this revision has.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
 */
export interface MessageBatch {
  readonly kind: "batch";
  readonly messages: readonly ReadMessage[];
}

const batchRevision = "2025-03-26";
const mostInBatch = 100;

/** The failure of a batch that is too long, or of a client of another revision. */
export function checkBatch({ messages }: MessageBatch, revision: string | undefined): RpcFailure | undefined {
  if (revision === batchRevision && messages.length > 0 && messages.length <= mostInBatch) return undefined;
  return invalidRequest(`batches are of ${batchRevision} alone, and of at most ${mostInBatch} messages`);
}

/** A text that is not read as a message. */
export interface UnreadMessage {
  readonly kind: "unread";
  /** True if it has more JSON values than are allowed, so that it was not parsed. */
  readonly isTooLarge: boolean;
  readonly reason: string;
}

/** Reads the text of a message that came in. Never throws. */
export function parseMessage(text: string, mostValues: number): ReadMessage | MessageBatch | UnreadMessage {
  const values = jsonValuesBeyond(text, mostValues);
  if (values !== undefined) {
    const reason = `The message has ${values} JSON values: more than maxBodyValues, ${mostValues}`;
    return { kind: "unread", isTooLarge: true, reason };
  }
  try {
    const value: unknown = JSON.parse(text);
    const lost = findLostNumber(text);
    if (!Array.isArray(value)) return readMessage(value, lost);
    return { kind: "batch", messages: value.map((message: unknown) => readMessage(message, lost)) };
  } catch {
    return { kind: "unread", isTooLarge: false, reason: "Parse error: this is no JSON" };
  }
}

/** `lost`: the number of its text that lost digits, if any. */
function readMessage(message: unknown, lost: LostNumber | undefined): ReadMessage {
  if (!isJsonObject(message)) return invalid("a message is an object");
  const { id, method, params = noParams } = message;
  const ownId = isRequestId(id) ? id : undefined;
  if (message["jsonrpc"] !== "2.0") return invalid('a message has "jsonrpc": "2.0"', ownId);
  if (method === undefined) {
    if (ownId === undefined || (message["result"] === undefined) === (message["error"] === undefined)) {
      return invalid("a message has a method, or an id with a result or an error");
    }
    if (lost === undefined) return { kind: "response", id: ownId, message };
    const failure = { code: rpcCodes.invalidParams, message: `the answer has ${describeLostNumber(lost)}` };
    return { kind: "response", id: ownId, message: errorMessage(ownId, failure) };
  }
  if (typeof method !== "string") return invalid("method must be a text", ownId);
  if (typeof params !== "object" || params === null || Array.isArray(params)) {
    return invalid("params must be an object", ownId);
  }
  const known = params as JsonObject;
  if (id === undefined) return { kind: "notification", method, params: known };
  if (ownId === undefined) return invalid("an id is a text or a whole number");
  return { kind: "request", request: { id: ownId, method, params: known, ...(lost !== undefined && { lost }) } };
}

function isRequestId(id: unknown): id is RequestId {
  // A number beyond the safe ones is read as another one, under which nobody would know its answer.
  return (typeof id === "string" && id.length <= longestId) || Number.isSafeInteger(id);
}

// An id is kept for as long as its request runs.
const longestId = 1024;

function invalid(reason: string, id?: RequestId): ReadMessage {
  return { kind: "invalid", id, reason };
}

/** The failure of a message that is none of JSON-RPC, or not one that may come now. */
export function invalidRequest(reason: string): RpcFailure {
  return { code: rpcCodes.invalidRequest, message: `Invalid request: ${reason}` };
}

/** Gives up the request that a `notifications/cancelled` names; other notifications do nothing. */
export function giveUpCancelled(
  { method, params }: ReadMessage & { readonly kind: "notification" },
  stops: ReadonlyMap<RequestId, AbortController>,
): void {
  const { requestId } = params;
  if (method !== "notifications/cancelled" || !isRequestId(requestId)) return;
  stops.get(requestId)?.abort(new Error("cancelled by the client"));
}

const failures = new WeakMap<Error, RpcFailure>();

/** An error that answers a request as a JSON-RPC error. */
export function rpcError(code: number, message: string, data?: JsonValue): Error {
  const error = new Error(message);
  failures.set(error, { code, message, ...(data !== undefined && { data }) });
  return error;
}

/** Why a request is given up that its client still waits for: it is an answer, too. */
export function requestEndedError(reason: string): Error {
  return rpcError(rpcCodes.refused, `The gateway gave this up: ${reason}`, { code: "closed" });
}

/** The failure of such an error; `undefined` for any other. */
export function rpcFailureOf(error: unknown): RpcFailure | undefined {
  return error instanceof Error ? failures.get(error) : undefined;
}

/**
 * True if a request goes on with what was begun before: it is let in also while the gateway ends.
 */
export function isContinuation({ params }: Pick<RequestMessage, "params">): boolean {
  return params["requestState"] !== undefined;
}

/** The same of any message: answers and notifications begin nothing. */
export function beginsNothing(read: ReadMessage): boolean {
  return read.kind === "request" ? isContinuation(read.request) : read.kind !== "invalid";
}

/**
 * A message as text, with U+FFFD for half a character, and without unseen characters; they stay
 * where a client chose an id or a token that has some. A message that cannot be written, such as a
 * result that is nested too deep for the stack, becomes an error of its request. Returns
 * `undefined` if such a message answers no request.
 */
export function writeMessage(message: JsonObject): string | undefined {
  try {
    const text = withoutHalves(JSON.stringify(message));
    const clean = dropUnseen(text);
    return clean === text || hasOwnWords(message) ? text : clean;
  } catch {
    const { id, method } = message;
    if (method !== undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
    return JSON.stringify(errorMessage(id, { code: rpcCodes.internalError, message: "The result is no JSON" }));
  }
}

// By another id nobody knows what is answered.
function hasOwnWords({ id, params }: JsonObject): boolean {
  const token = isJsonObject(params) ? params["progressToken"] : undefined;
  return [id, token].some((own) => typeof own === "string" && dropUnseen(own) !== own);
}
