import { kindOf } from "@hostside/core/implement";

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
export async function engineName(prefix: string, kind: NameKind, key: string): Promise<string> {
  const whole = JSON.stringify(`${prefix}${kind}:${key}`).slice(1, -1);
  if (whole.length <= longestReadable) return whole;
  return `${whole.slice(0, longestReadable)}#${await hashText(whole, "SHA-256")}`;
}

/** A hash of a text in UTF-8, in hexadecimal digits. */
export async function hashText(text: string, algorithm: "SHA-1" | "SHA-256"): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest(algorithm, new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
