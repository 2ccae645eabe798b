import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { JsonValue } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";

/**
 * `sha256-` and the hash of a value's canonical JSON, in hexadecimal: equal values have equal ones,
 * whatever the order of their members. Throws `TypeError` for a value that is nested more than 200
 * deep.
 */
export function hashJson(value: JsonValue): string {
  return `sha256-${bytesToHex(sha256(utf8ToBytes(canonicalJson(value))))}`;
}
