const chunk = 0x8000;

/** Bytes as base64 (RFC 4648, 4). */
export function bytesToBase64(bytes: Uint8Array): string {
  let binary = "";
  // An argument each: more of them at once than a call can have would throw.
  for (let at = 0; at < bytes.length; at += chunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  }
  return btoa(binary);
}

/** The same for URLs and tokens (RFC 4648, 5), without padding. */
export function bytesToBase64Url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The bytes; `undefined` for what is not base64 as {@linkcode bytesToBase64} writes it, so that no
 * two texts are the same bytes.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytesToBase64(bytes) === text ? bytes : undefined;
}
