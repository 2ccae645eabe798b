const strict = new TextDecoder("utf-8", { fatal: true });

/**
 * Whether the bytes that `text` was decoded from are valid UTF-8. Looks at them only if there is a
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
