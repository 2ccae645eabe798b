/** Base64 as a model API takes it, or what is wrong with it, in words. */
export type CheckedBase64 =
  | { readonly kind: "good"; readonly data: string; readonly bytes: number }
  | { readonly kind: "bad"; readonly problem: string };

/**
 * Checks base64, and brings it into the form that every decoder takes (RFC 4648, section 4): a
 * `data:` URI is reduced to its data, blanks and line breaks go, the URL-safe alphabet becomes the
 * standard one, padding is added, and unused bits of the last character are cleared. Anything else
 * is refused. Never throws.
 */
export function checkBase64(text: string): CheckedBase64 {
  try {
    const binary = atob(withoutDataUri(text).replaceAll("-", "+").replaceAll("_", "/"));
    if (binary === "") return { kind: "bad", problem: "it is empty" };
    return { kind: "good", data: btoa(binary), bytes: binary.length };
  } catch {
    return { kind: "bad", problem: "it cannot be decoded" };
  }
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
