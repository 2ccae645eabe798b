/**
 * A name that nobody guesses: 192 bits of the runtime's own secure randomness, as visible ASCII.
 */
export function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
