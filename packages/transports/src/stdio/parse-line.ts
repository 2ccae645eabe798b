import type { HostsideError, JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RequestId } from "../message/json-rpc.ts";
import { isLargeBatch, tooManyMessages } from "../message/count-members.ts";
import { excessValues, type ValueLimit } from "../message/excess-values.ts";
import { admitDepth, answeredRequest, maxMessageDepth } from "../message/message-depth.ts";
import { parseMessage } from "../message/parse-message.ts";
import { endsOf, recoverRequestId } from "../message/recover-request-id.ts";

/** What one line on stdout turned out to be. */
export type ParsedLine =
  | { readonly kind: "blank" }
  /**
   * JSON objects: one, or those of a batch (JSON-RPC batches exist in 2025-03-26). What else a
   * batch held is only counted.
   */
  | { readonly kind: "messages"; readonly messages: readonly JsonObject[]; readonly strayCount: number }
  /** `requestId` is there when the message answers that request. */
  | { readonly kind: "too-deep"; readonly requestId?: RequestId }
  /** It has too many values to be parsed. */
  | { readonly kind: "excessive"; readonly error: HostsideError; readonly requestId: RequestId | undefined }
  | { readonly kind: "anomaly"; readonly reason: string };

/**
 * Parses one line. Total: it never throws. Accepts a carriage return at the end and a byte order
 * mark at the start.
 */
export function parseLine(line: string, limit: ValueLimit): ParsedLine {
  const text = line.startsWith("\uFEFF") ? line.slice(1) : line;
  // Cheaper than an exception per line when a program prints a lot of prose.
  if (!startsLikeMessage(text)) return text.trim() === "" ? blank : notJson;
  if (isLargeBatch(text)) return tooMany;
  const error = excessValues(text, limit);
  if (error !== undefined) return { kind: "excessive", error, requestId: recoverRequestId(endsOf(text)) };
  let value: unknown;
  try {
    value = parseMessage(text);
  } catch {
    // Silence is right: the caller reports the line itself, which says more than where a parser
    // gave up.
    return notJson;
  }
  // Each level takes two bytes at least, so that short lines need no walk.
  if (text.length >= 2 * maxMessageDepth && !admitDepth(value)) return tooDeep(value);
  if (isJsonObject(value)) return { kind: "messages", messages: [value], strayCount: 0 };
  if (!Array.isArray(value)) return notMessage;
  const messages = value.filter(isJsonObject);
  return messages.length === 0
    ? notMessage
    : { kind: "messages", messages, strayCount: value.length - messages.length };
}

const blank: ParsedLine = { kind: "blank" };
const notJson: ParsedLine = { kind: "anomaly", reason: "not JSON" };
const notMessage: ParsedLine = { kind: "anomaly", reason: "no JSON-RPC message" };

const tooMany: ParsedLine = { kind: "anomaly", reason: tooManyMessages };

function startsLikeMessage(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x7b || first === 0x5b || /^[ \t\r]+[{[]/.test(text);
}

function tooDeep(value: unknown): ParsedLine {
  const requestId = answeredRequest(value);
  return requestId === undefined ? { kind: "too-deep" } : { kind: "too-deep", requestId };
}
