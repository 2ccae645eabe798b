import { createMemoryLock, type JsonObject } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import { accountsAmong, describeKey, keyText, assertTtl, documentText } from "./credential-key.ts";
import { LockTurns, type CredentialStore } from "./credential-store.ts";

/**
 * Keeps credentials for as long as the process lives: a restart signs everybody out. Nothing is
 * written anywhere.
 *
 * @example
 * const oauth = createOAuth({ store: createMemoryCredentials() });
 */
export function createMemoryCredentials(): CredentialStore {
  const lock = createMemoryLock();
  const turns = new LockTurns();
  const texts = new Map<string, string>();
  // Of many thousand few have an end: users at an authorization page.
  const ends = new Map<string, number>();
  const forgetOld = (): void => {
    const now = clock.now();
    for (const [text, endsAt] of ends) if (endsAt <= now) forget(text);
  };
  const forget = (text: string): boolean => {
    ends.delete(text);
    return texts.delete(text);
  };
  return {
    async load(key) {
      const text = keyText(key);
      forgetOld();
      const json = texts.get(text);
      // Written here, by JSON.
      return json === undefined ? undefined : (JSON.parse(json) as JsonObject);
    },
    async save(key, document, ttlMs) {
      assertTtl(ttlMs);
      const text = keyText(key);
      const json = documentText(document);
      turns.assertNotLost(text, describeKey(key));
      forgetOld();
      texts.set(text, json);
      if (ttlMs === undefined) ends.delete(text);
      else ends.set(text, clock.now() + ttlMs);
    },
    async clear(key) {
      const text = keyText(key);
      forgetOld();
      return forget(text);
    },
    async accounts() {
      forgetOld();
      return accountsAmong(texts.keys());
    },
    async withLock(key, leaseMs, work) {
      const text = keyText(key);
      return lock.withLock(text, leaseMs, (signal) => turns.during(text, { signal }, () => work(signal)));
    },
  };
}
