/** Where a log stands: the last line that was written. */
export interface AuditHead {
  /** Of the last line; 0 before the first. */
  readonly seq: number;
  /** SHA-256 of the last line without its line feed, in hexadecimal; 64 zeros before the first. */
  readonly hash: string;
}

/** What is written as one line. */
export interface AuditLine {
  readonly seq: number;
  /** ISO 8601, when it was written down. */
  readonly at: string;
  /** The hash of the line before. */
  readonly previous: string;
  readonly entry: unknown;
}

/** Where a log stands that has no line. */
export const noLines: AuditHead = Object.freeze({ seq: 0, hash: "0".repeat(64) });

/** Makes and checks the codes of lines, where there is a key. */
export type AuditKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const encoder = new TextEncoder();

/** SHA-256 of a line, in hexadecimal. */
export async function hashLine(text: string): Promise<string> {
  return toHex(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

/**
 * Reads the key of a log: at least 32 bytes, or as many of a text in UTF-8. Throws a `TypeError`.
 */
export async function importAuditKey(key: Uint8Array | string): Promise<AuditKey> {
  const bytes = typeof key === "string" ? encoder.encode(key) : key;
  if (!(bytes instanceof Uint8Array) || bytes.length < 32) throw new TypeError("key must have at least 32 bytes");
  const usages = ["sign", "verify"] as const;
  return crypto.subtle.importKey("raw", Uint8Array.from(bytes), { name: "HMAC", hash: "SHA-256" }, false, [...usages]);
}

/**
 * The text of a line without its line feed; with a key, its last member is the code of all before
 * it.
 */
export async function sealLine(line: AuditLine, key: AuditKey | undefined): Promise<string> {
  const text = JSON.stringify(line);
  if (key === undefined) return text;
  const code = toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  return `${text.slice(0, -1)},"mac":"${code}"}`;
}

const sealed = /,"mac":"([0-9a-f]{64})"\}$/;

/** Whether a line has the code that this key makes of it. */
export async function hasCode(text: string, key: AuditKey): Promise<boolean> {
  const code = sealed.exec(text)?.[1];
  if (code === undefined) return false;
  const signed = encoder.encode(text.replace(sealed, "}"));
  return crypto.subtle.verify("HMAC", key, fromHex(code), signed);
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}
