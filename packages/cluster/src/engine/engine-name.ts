import { kindOf } from "@hostside/core/implement";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The kind of a name in an engine. */
export type NameKind = "value" | "lock" | "fencing-token" | "limit";

const longestReadable = 200;

/** Refuses with a `TypeError` what is no text. */
export function assertText(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw new TypeError(`${what} must be a string, not ${kindOf(value)}`);
}

/**
 * The name of something in an engine: readable for operators, never the same for two keys. Control
 * characters and halves of surrogate pairs, which not every engine keeps, are escaped as JSON does;
 * of what is long there is a beginning and its SHA-256, since an index of Postgres takes some 2,700
 * bytes.
 */
export function engineName(prefix: string, kind: NameKind, key: string): string {
  const whole = JSON.stringify(`${prefix}${kind}:${key}`).slice(1, -1);
  if (whole.length <= longestReadable) return whole;
  return `${whole.slice(0, longestReadable)}#${hashText(whole)}`;
}

/**
 * SHA-256 of a text in UTF-8, in hexadecimal digits. At once, so that calls ask an engine in the
 * order of their arrival.
 */
export function hashText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
