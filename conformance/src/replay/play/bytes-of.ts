import type { RecordedText } from "../recording/recorded-event.ts";

/** The bytes that were recorded; what was not kept of them is blanks. */
export function bytesOf(recorded: RecordedText): Buffer {
  const kept = "text" in recorded ? Buffer.from(recorded.text) : Buffer.from(recorded.base64, "base64");
  return recorded.omitted === undefined ? kept : Buffer.concat([kept, Buffer.alloc(recorded.omitted, " ")]);
}
