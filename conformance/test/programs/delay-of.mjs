import { createHash } from "node:crypto";

const longestMs = 15_000;
/** One of so many messages is held. */
const heldOf = 25;

/** How long a message is held, in milliseconds: 0 for most. @param {string} seed @param {string} text */
export function delayOf(seed, text) {
  const hash = createHash("sha256").update(`${seed} ${text}`).digest();
  return hash.readUInt16LE(0) % heldOf === 0 ? hash.readUInt16LE(2) % (longestMs + 1) : 0;
}
