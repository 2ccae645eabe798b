import type { CallContext } from "@hostside/core";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** What stands where a secret stood, for one conversation. Made anew for each result. */
export interface Placeholders {
  /**
   * `[secret:1f8a03c2d4e5b07a]`: the same for the same secret. `[secret]` once there were more
   * secrets than are told apart.
   */
  readonly of: (secret: string) => string;
  /**
   * Where a text has placeholders that were made here: what a model sent along and a server echoes.
   */
  readonly findOwn: (text: string) => readonly { readonly start: number; readonly end: number }[];
  /** How many secrets were replaced. */
  readonly count: () => number;
}

const anonymous = "[secret]";
const written = /\[secret(?::([0-9a-f]{12})([0-9a-f]{4}))?\]/g;
// A hash takes microseconds, and a text of ten megabytes can name a million secrets.
const mostHashes = 4096;
const longestHashed = 65_536;

/**
 * Makes placeholders by a keyed hash, so that nobody without the key can tell whether a guess is
 * right. Twelve digits tell secrets apart; four more, a keyed hash of the twelve, tell a
 * placeholder of this conversation from one that a server made up to have a secret of its choice
 * pass for one.
 */
export function createPlaceholders(key: Uint8Array): (context: CallContext | undefined) => Placeholders {
  return ({ principal, conversation } = {}) => {
    // The same name under another principal is another conversation.
    const scope = JSON.stringify([principal ?? null, conversation ?? null]);
    let hash: ((text: string) => string) | undefined;
    const hashOf = (text: string): string => {
      if (hash === undefined) {
        const mac = hmac.create(sha256, hmac(sha256, key, utf8ToBytes(`hostside-redaction\n${scope}`)));
        hash = (message) => bytesToHex(mac.clone().update(utf8ToBytes(message)).digest());
      }
      return hash(text);
    };
    return forConversation(hashOf);
  };
}

function forConversation(hashOf: (text: string) => string): Placeholders {
  const made = new Map<string, string>();
  const checks = new Map<string, string>();
  const checkOf = (id: string): string | undefined => {
    const known = checks.get(id);
    if (known !== undefined || checks.size >= 2 * mostHashes) return known;
    const check = hashOf(`check\n${id}`).slice(0, 4);
    checks.set(id, check);
    return check;
  };
  let count = 0;
  return {
    of(secret) {
      const known = made.get(secret);
      if (known !== undefined) return known;
      count += 1;
      if (made.size >= mostHashes || secret.length > longestHashed) return anonymous;
      const id = hashOf(`secret\n${secret}`).slice(0, 12);
      const placeholder = `[secret:${id}${checkOf(id) ?? "0000"}]`;
      made.set(secret, placeholder);
      return placeholder;
    },
    findOwn(text) {
      if (!text.includes("[secret")) return [];
      return Array.from(text.matchAll(written)).flatMap(({ 0: match, 1: id, 2: check, index }) =>
        id === undefined || checkOf(id) === check ? [{ start: index, end: index + match.length }] : [],
      );
    },
    count: () => count,
  };
}
