import { quoteText, storeFailed, assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";

/** The place of a sealed text, and words for messages about it. */
export interface SealedPlace {
  /** A text that was sealed for another place does not open in this one. */
  readonly name: string;
  readonly what: string;
}

/** Seals texts with the first of its keys, and opens what any of them sealed. */
export interface Sealer {
  seal(place: SealedPlace, text: string): Promise<string>;
  /**
   * Rejects with `store_failed` for what is not sealed, was changed, or is sealed with a key or in
   * a way that is not known.
   */
  open(place: SealedPlace, sealed: string): Promise<string>;
}

const version = "hostside-sealed-1";
const nonceBytes = 12;

/** Tells whether a text claims to be sealed, in this way or one of another version. */
export function looksSealed(text: string): boolean {
  return /^hostside-sealed-\d{1,9}\./.test(text);
}

/**
 * `hostside-sealed-1.<key id>.<base64 of nonce, ciphertext and tag>`: AES-256-GCM with a random
 * nonce of 96 bits each time, and version, key id and place as additional data, so that nothing of
 * it can be exchanged.
 */
export function createSealer(keys: readonly [ReadyKey, ...ReadyKey[]]): Sealer {
  const [first] = keys;
  const known = keys.map(({ id }) => `"${id}"`).join(", ");
  return {
    async seal({ name }, text) {
      const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
      const algorithm = { name: "AES-GCM", iv, additionalData: additionalData(first.id, name) };
      const data = new TextEncoder().encode(text);
      const ciphertext = new Uint8Array(await crypto.subtle.encrypt(algorithm, await first.cryptoKey(), data));
      const bytes = new Uint8Array(nonceBytes + ciphertext.length);
      bytes.set(iv);
      bytes.set(ciphertext, nonceBytes);
      return `${version}.${first.id}.${bytesToBase64(bytes)}`;
    },
    async open({ name, what }, sealed) {
      const [, found, id = "", data = ""] =
        /^(hostside-sealed-\d{1,9})\.(?:([\w-]{1,64})\.)?([^]*)$/.exec(sealed) ?? [];
      if (found === undefined) throw storeFailed(`${what}: what is kept there was not sealed by Hostside`);
      if (found !== version) throw storeFailed(`${what}: sealed by another version of Hostside (${found})`);
      const key = keys.find((one) => one.id === id);
      if (key === undefined) {
        throw storeFailed(
          `${what}: sealed with the key ${quoteText(id, 64)}, which is not among those given (${known})`,
        );
      }
      const bytes = base64ToBytes(data);
      const changed = `${what}: the key "${id}" does not open it: it was changed, is of another place, or the key is not the same`;
      if (bytes === undefined || bytes.length < nonceBytes) throw storeFailed(changed);
      const iv = bytes.subarray(0, nonceBytes);
      const algorithm = { name: "AES-GCM", iv, additionalData: additionalData(id, name) };
      const cryptoKey = await key.cryptoKey();
      const text = await crypto.subtle.decrypt(algorithm, cryptoKey, bytes.subarray(nonceBytes)).catch(() => {
        // The platform's error says no more than that it failed.
        throw storeFailed(changed);
      });
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
    },
  };
}

function additionalData(id: string, name: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([version, id, name]));
}

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

/** A key of WebCrypto. */
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

/** Bytes as base64 (RFC 4648, 4). */
export function bytesToBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** The same for URLs and tokens (RFC 4648, 5), without padding. */
export function bytesToBase64Url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The bytes; `undefined` for what is not base64 as {@linkcode bytesToBase64} writes it, so that no
 * two texts are the same bytes.
 */
function base64ToBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytesToBase64(bytes) === text ? bytes : undefined;
}

/** SHA-256 of a text in UTF-8. */
export async function hashText(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/**
 * The same as 64 hexadecimal digits: for names of files and keys of databases, of which some do not
 * know capitals apart.
 */
export async function hashNameHex(text: string): Promise<string> {
  return Array.from(await hashText(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
