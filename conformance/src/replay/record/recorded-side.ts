import type { ServerSpec } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { parseJson } from "../../engine/parse-json.ts";
import { isUtf8 } from "node:buffer";
import type { Mask } from "../masking/create-mask.ts";
import { type RecordedMessage, type RecordedText, isDeeperThan } from "../recording/recorded-event.ts";
import { createIdBook, type IdBook, type IdNumbers } from "./id-book.ts";
import type { Tape } from "./create-tape.ts";

/** What the recording of one connection goes by. */
export interface RecordedSide {
  readonly serverId: string;
  readonly spec: ServerSpec;
  readonly tape: Tape;
  readonly mask: Mask;
  /** A message of the host's, as it is written. */
  outgoing(message: RecordedMessage): RecordedMessage;
  /** A message of the server's, as it is written. */
  incoming(message: RecordedMessage): RecordedMessage;
  /** A text that is no message. */
  text(text: string): string;
  /**
   * Bytes that are no message, of which the first MiB is kept; of the rest of a line only how many
   * there are.
   */
  raw(bytes: Buffer, isRest?: boolean): RecordedText;
}

const longestRaw = 1024 * 1024;
// A message that is nested deeper is kept as text.
const deepest = 100;

/** Makes the recording's end of one connection. */
export function createRecordedSide(
  init: Pick<RecordedSide, "spec" | "tape" | "mask"> & { readonly numbers: IdNumbers },
): RecordedSide {
  const { spec, tape, mask, numbers } = init;
  const ids: IdBook = createIdBook(numbers);
  return {
    serverId: spec.id,
    spec,
    tape,
    mask,
    outgoing: (message) => maskMessage(ids.outgoing(message), mask),
    incoming: (message) => maskMessage(ids.incoming(message), mask),
    text: (text) => mask.text(ids.text(text)),
    raw(bytes, isRest = false) {
      if (isRest) return { text: "", omitted: bytes.length };
      const omitted = bytes.length - longestRaw;
      const more = omitted > 0 ? { omitted } : {};
      // Masked first: half a secret is none that anybody would find.
      if (isUtf8(bytes)) return { text: cut(mask.text(ids.text(bytes.toString("utf8"))), omitted > 0), ...more };
      const masked = maskBytes(bytes, mask);
      return { base64: (omitted > 0 ? masked.subarray(0, longestRaw) : masked).toString("base64"), ...more };
    },
  };
}

/** The message that a text is, if it is one that a recording can have as it is. */
export function readRecordedMessage(text: string): RecordedMessage | undefined {
  const value = parseJson(text);
  const isMessage = (isJsonObject(value) || Array.isArray(value)) && !isDeeperThan(value, deepest);
  return isMessage ? (value as RecordedMessage) : undefined;
}

function maskMessage(message: RecordedMessage, mask: Mask): RecordedMessage {
  // Ids that the book gave are no secrets, and an object stays one.
  return mask.data(message) as RecordedMessage;
}

function cut(text: string, isLong: boolean): string {
  return isLong ? text.slice(0, longestRaw) : text;
}

// Bytes that are no text may have a secret among them all the same.
function maskBytes(bytes: Buffer, mask: Mask): Buffer {
  return Buffer.from(mask.text(bytes.toString("latin1")), "latin1");
}
