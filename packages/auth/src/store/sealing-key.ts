import { assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";
import { base64ToBytes, isBase64Shaped } from "./base64.ts";

/** A key that seals what is kept (AES-256-GCM). */
export interface SealingKey {
  /**
   * Names the key, so that another one can take its place: letters, digits, `_` and `-`, at most
   * 64. Not a secret.
   */
  readonly id: string;
  /**
   * The key: 32 random bytes, as they are or as base64 (`openssl rand -base64 32`); or a
   * `CryptoKey` that may encrypt and decrypt with AES-GCM. Not a password.
   */
  readonly key: Uint8Array | string | AesKey;
}

/** A `CryptoKey` of WebCrypto, as far as it matters here: not every program has its type. */
export interface AesKey {
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** What WebCrypto takes as a key. */
export type NativeKey = Parameters<typeof crypto.subtle.encrypt>[1];

/** A key that was checked; imported when it is first used. */
export interface ReadyKey {
  readonly id: string;
  readonly cryptoKey: () => Promise<NativeKey>;
}

const keyFields: Fields<SealingKey> = { id: true, key: true };

/**
 * The keys, checked. Throws a `TypeError` that names the one that is wrong, and never shows a key.
 */
export function readSealingKeys(owner: string, keys: readonly SealingKey[]): readonly [ReadyKey, ...ReadyKey[]] {
  if (!Array.isArray(keys)) throw new TypeError(`${owner}: keys must be a list, not ${kindOf(keys)}`);
  const [first, ...rest] = keys.map((key, index) => readSealingKey(`${owner}: keys[${index}]`, key as SealingKey));
  if (first === undefined) throw new TypeError(`${owner}: keys must have at least one key`);
  const ids = new Set<string>();
  for (const { id } of [first, ...rest]) {
    if (ids.has(id)) throw new TypeError(`${owner}: two keys have the id "${id}"`);
    ids.add(id);
  }
  return [first, ...rest];
}

function readSealingKey(owner: string, given: SealingKey): ReadyKey {
  assertKnownOptions(owner, given, keyFields);
  const { id, key } = given;
  if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id)) {
    throw new TypeError(`${owner}: id must be 1 to 64 letters, digits, _ and -`);
  }
  if (isCryptoKey(key)) {
    const { name, length } = key.algorithm as { readonly name: string; readonly length?: number };
    if (name !== "AES-GCM" || length !== 256 || !key.usages.includes("encrypt") || !key.usages.includes("decrypt")) {
      throw new TypeError(`${owner}: a CryptoKey must be of AES-GCM with 256 bits, and may encrypt and decrypt`);
    }
    return { id, cryptoKey: async () => key };
  }
  const bytes = readBytes(owner, key);
  let imported: Promise<NativeKey> | undefined;
  const importKey = (): Promise<NativeKey> =>
    crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id, cryptoKey: async () => (imported ??= importKey()) };
}

function readBytes(owner: string, key: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof key === "string" ? base64ToBytes(key.trim()) : key;
  if (!(bytes instanceof Uint8Array)) {
    const shown = typeof key === "string" ? whatIsWrong(key.trim()) : kindOf(key);
    throw new TypeError(`${owner}: key must be 32 bytes, as a Uint8Array, base64 or a CryptoKey, not ${shown}`);
  }
  if (bytes.length !== 32) throw new TypeError(`${owner}: key must have 32 bytes, not ${bytes.length}`);
  // A copy: who gave it may wipe theirs.
  return Uint8Array.from(bytes);
}

// Other decoders forgive bits that they have no use for. In a key they are a sign that it was
// mistyped or cut.
function whatIsWrong(key: string): string {
  if (!isBase64Shaped(key)) return "a text that is not base64";
  return "base64 whose last character has unused bits that are not 0 (it was mistyped or cut)";
}

function isCryptoKey(key: unknown): key is NativeKey {
  return Object.prototype.toString.call(key) === "[object CryptoKey]";
}
