import { quoteText, storeFailed } from "@hostside/core/implement";
import { base64ToBytes, bytesToBase64 } from "./base64.ts";
import type { ReadyKey } from "./sealing-key.ts";

/** Where a sealed text is kept, and what it is, in words for messages. */
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

/** Whether a text claims to be sealed, in this way or one of another version. */
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
