import { assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";
import { base64ToBytes } from "./base64.ts";

/** A key that seals what is kept (AES-256-GCM). */
export interface SealingKey {
  /**
   * Names the key, so that another one can take its place: letters, digits, `_` and `-`, at most
   * 64. Not a secret.
   */
  readonly id: string;
  /**
   * 32 random bytes, as they are or as base64 (`openssl rand -base64 32`). Not a password.
   */
  readonly key: Uint8Array | string;
}

/** What WebCrypto takes as a key. */
type NativeKey = Parameters<typeof crypto.subtle.encrypt>[1];

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
  const bytes = readBytes(owner, key);
  let imported: Promise<NativeKey> | undefined;
  const importKey = (): Promise<NativeKey> =>
    crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id, cryptoKey: async () => (imported ??= importKey()) };
}

function readBytes(owner: string, key: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof key === "string" ? base64ToBytes(key.trim()) : key;
  if (bytes instanceof Uint8Array && bytes.length === 32) return Uint8Array.from(bytes);
  const shown =
    bytes instanceof Uint8Array ? `${bytes.length} bytes` : typeof key === "string" ? "other text" : kindOf(key);
  throw new TypeError(`${owner}: key must be 32 bytes, as a Uint8Array or base64, not ${shown}`);
}
