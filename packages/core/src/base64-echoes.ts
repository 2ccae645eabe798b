const encoder = new TextEncoder();

// Fewer characters than this stand in too many texts by chance.
const shortestEcho = 7;

/**
 * What of a secret shows in the Base64 of any text that contains it, such as the `user:secret` of
 * HTTP's Basic scheme: the characters that depend on nothing else, for each of the three ways in
 * which the secret may fall into groups of three bytes, in both alphabets.
 */
export function base64Echoes(secret: string): readonly string[] {
  const bytes = encoder.encode(secret);
  const echoes = [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const first = Math.ceil((offset * 8) / 6);
    const end = Math.floor((padded.length * 8) / 6);
    const echo = btoa(String.fromCharCode(...padded)).slice(first, end);
    return [echo, echo.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return echoes.filter((echo) => echo.length >= shortestEcho);
}

/** The text that Base64 of either alphabet stands for; `undefined` when it is none, or no text. */
export function fromBase64(text: string): string | undefined {
  if (!/^[\w+/-]{4,}={0,2}$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
