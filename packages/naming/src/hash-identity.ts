import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import type { ToolIdentity } from "./tool-identity.ts";

const encoder = new TextEncoder();
const separator = Uint8Array.of(0);
// "Modified UTF-8" for a NUL inside a server id: the first zero byte of a key is always the
// separator.
const escapedNul = Uint8Array.of(0xc0, 0x80);

/**
 * The first `length` hex digits of SHA-256 over the identity's key: `serverId NUL toolName`,
 * followed by `#n` from the second attempt on.
 *
 * The key is unambiguous: it is UTF-8, except that a NUL inside the server id is `C0 80` and a lone
 * surrogate its three WTF-8 bytes, so two different pairs never have the same key.
 */
export function hashIdentity(identity: ToolIdentity, attempt: number, length: number): string {
  const digest = sha256(keyOf(identity, attempt));
  return bytesToHex(digest.subarray(0, Math.ceil(length / 2))).slice(0, length);
}

function keyOf({ serverId, toolName }: ToolIdentity, attempt: number): Uint8Array {
  const suffix = attempt > 1 ? `#${attempt}` : "";
  if (!serverId.includes("\0")) return encode(`${serverId}\0${toolName}${suffix}`);
  const id = serverId.split("\0").flatMap((part, index) => (index === 0 ? [encode(part)] : [escapedNul, encode(part)]));
  return concatBytes(...id, separator, encode(`${toolName}${suffix}`));
}

function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  // TextEncoder writes every lone surrogate as U+FFFD, which would make different names equal.
  return concatBytes(...Array.from(text, encodeCodePoint));
}

function encodeCodePoint(character: string): Uint8Array {
  const code = character.charCodeAt(0);
  if (character.isWellFormed()) return encoder.encode(character);
  return Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}
