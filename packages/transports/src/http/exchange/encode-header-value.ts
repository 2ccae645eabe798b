import { isHeaderValue } from "@hostside/core/implement";

/**
 * A text as a header value: as it is when every recipient reads it the same way, or else as
 * `=?base64?…?=` of its UTF-8 bytes (2026-07-28, "Value Encoding"). A text that looks like the
 * latter is encoded too.
 */
export function encodeHeaderValue(text: string): string {
  const plain = text !== "" && isHeaderValue(text) && text === text.trim();
  if (plain && !(text.startsWith("=?base64?") && text.endsWith("?="))) return text;
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}
