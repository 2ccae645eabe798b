import type { JsonObject } from "@hostside/core";
import { isJsonObject, jsonValuesBeyond, utf8Length } from "@hostside/core/implement";
import type { RequestId } from "../../message/json-rpc.ts";
import type { ReadingContext } from "./reading-context.ts";
import { isTooDeep } from "../../message/admission.ts";
import { parseMessage } from "../../message/parse-message.ts";

/** The answer to a request, and the size of the data that it came in. */
export interface LoneAnswer {
  readonly message: JsonObject;
  readonly bytes: number;
}

const replacement = "\uFFFD";
// A mark of byte order stays where it is, and with it this is nothing that is read here.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads the beginning of a stream of events that is nothing but one event with the answer to
 * request `id`, as most servers send it, and saves making a parser for it. `undefined` for whatever
 * else it may be, also where a parser would find the answer in it, or something to complain of:
 * nothing has happened then.
 */
export function readLoneAnswer(
  bytes: Uint8Array,
  id: RequestId,
  limits: ReadingContext["limits"],
): LoneAnswer | undefined {
  const text = decoder.decode(bytes);
  const data = readLoneData(text);
  // What has a method is a message of the server's; broken bytes are to be told of.
  if (data === undefined || data.includes('"method"') || data.includes(replacement)) return undefined;
  const dataBytes = text.length === bytes.length ? data.length : utf8Length(data);
  if (dataBytes > limits.maxMessageBytes) return undefined;
  if (jsonValuesBeyond(data, limits.maxMessageValues) !== undefined) return undefined;
  const message = readMessage(data);
  if (!isJsonObject(message) || message["id"] !== id || "method" in message || isTooDeep(message)) return undefined;
  return { message, bytes: dataBytes };
}

/** The data of an event that `text` has from its beginning to its end. */
function readLoneData(text: string): string | undefined {
  let from = 0;
  for (;;) {
    const end = text.indexOf("\n", from);
    if (end === -1) return undefined;
    const line = text.slice(from, text.charAt(end - 1) === "\r" ? end - 1 : end);
    // Also in the middle of a line it ends one.
    if (line.includes("\r")) return undefined;
    from = end + 1;
    if (line.startsWith("data: ")) return isBlankLine(text, from) ? line.slice("data: ".length) : undefined;
    if (line !== "event: message" && !line.startsWith("id: ")) return undefined;
  }
}

/** Whether nothing but a blank line follows. */
function isBlankLine(text: string, from: number): boolean {
  const length = text.length - from;
  return (length === 1 && text.endsWith("\n")) || (length === 2 && text.endsWith("\r\n"));
}

function readMessage(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
