import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** What a signature is for, so that one can never be taken for another. */
export type SignedAs = "token" | "call" | "part";

/** Signs texts with the first key, and believes the signatures of all. */
export interface Signer {
  /** HMAC-SHA-256, in hexadecimal. */
  sign(as: SignedAs, text: string): string;
  /** Takes as long whatever is wrong with the signature. */
  isSigned(as: SignedAs, text: string, signature: string): boolean;
}

/** Makes a signer from one key or more. */
export function createSigner(keys: readonly Uint8Array[]): Signer {
  const macs = keys.map(
    (key) =>
      (as: SignedAs, text: string): string =>
        bytesToHex(hmac(sha256, key, utf8ToBytes(`hostside-approval-${as}\n${text}`))),
  );
  return {
    sign: (as, text) => macs[0]?.(as, text) ?? "",
    isSigned: (as, text, signature) => macs.filter((mac) => isSame(mac(as, text), signature)).length > 0,
  };
}

function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
