/** Base64 as a model API takes it, or what is wrong with it, in words. */
export type CheckedBase64 =
  | { readonly kind: "good"; readonly data: string; readonly bytes: number }
  | { readonly kind: "bad"; readonly problem: string };

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Checks base64 without decoding it, in one pass, and brings it into the form that every decoder
 * takes (RFC 4648, section 4): a `data:` URI is reduced to its data, blanks and line breaks go, the
 * URL-safe alphabet becomes the standard one, padding is added, and unused bits of the last
 * character are cleared. Anything else is refused, and nothing that is good as it is gets copied.
 * Never throws.
 */
export function checkBase64(text: string): CheckedBase64 {
  const plain = standardAlphabet(withoutBlanks(withoutDataUri(text)));
  const padding = plain.endsWith("==") ? 2 : plain.endsWith("=") ? 1 : 0;
  const length = plain.length - padding;
  if (length === 0) return { kind: "bad", problem: "it is empty" };
  const wrong = plain.search(/[^A-Za-z0-9+/]/);
  if (wrong !== -1 && wrong < length)
    return { kind: "bad", problem: `character ${wrong + 1} of ${plain.length} is none of its alphabet` };
  const rest = length % 4;
  if (rest === 1) return { kind: "bad", problem: `${length} characters are no whole number of bytes` };
  if (padding > 0 && padding !== (4 - rest) % 4) return { kind: "bad", problem: "its padding does not fit its length" };
  const bytes = Math.floor((length * 3) / 4);
  return {
    kind: "good",
    data: rest === 0 ? plain : `${clearUnusedBits(plain.slice(0, length), rest)}${"=".repeat(4 - rest)}`,
    bytes,
  };
}

/** Some bytes of checked base64, from the one with this index; fewer where it ends. */
export function bytesOf(data: string, start: number, count: number): readonly number[] {
  const group = Math.floor(start / 3);
  const binary = atob(data.slice(group * 4, Math.ceil((start + count) / 3) * 4));
  return Array.from(binary, (byte) => byte.charCodeAt(0)).slice(start - group * 3, start - group * 3 + count);
}

// Many servers send what an <img> takes. The head of such a URI is short.
function withoutDataUri(text: string): string {
  if (!/^data:/i.test(text)) return text;
  const [head] = /^data:[^,]{0,200};base64,/i.exec(text) ?? [""];
  return text.slice(head.length);
}

function withoutBlanks(text: string): string {
  return /[\t\n\f\r ]/.test(text) ? text.replaceAll(/[\t\n\f\r ]+/g, "") : text;
}

function standardAlphabet(text: string): string {
  return /[-_]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : text;
}

function clearUnusedBits(text: string, rest: number): string {
  const last = alphabet.indexOf(text.charAt(text.length - 1));
  const cleared = alphabet.charAt(rest === 2 ? last & 0b110000 : last & 0b111100);
  return cleared === text.charAt(text.length - 1) ? text : text.slice(0, -1) + cleared;
}
