import { createMemoryLock } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import { createDocumentStore } from "./create-document-store.ts";
import { describeKey, type CredentialStore } from "./credential-store.ts";

/**
 * Keeps credentials for as long as the process lives: a restart signs everybody out. Nothing is
 * written anywhere.
 *
 * @example
 * const oauth = createOAuth({ store: createMemoryCredentials() });
 */
export function createMemoryCredentials(): CredentialStore {
  const texts = new Map<string, string>();
  // Of many thousand few have an end: users at an authorization page.
  const ends = new Map<string, number>();
  const forget = (name: string): boolean => {
    ends.delete(name);
    return texts.delete(name);
  };
  return createDocumentStore({
    placeOf: async (key, text) => ({ name: text, what: describeKey(key) }),
    get: async ({ name }) => texts.get(name),
    async set({ name }, text, { ttlMs, assertNotLost }) {
      assertNotLost();
      for (const [old, endsAt] of ends) if (endsAt <= clock.now()) forget(old);
      forget(name);
      texts.set(name, text);
      if (ttlMs !== undefined) ends.set(name, clock.now() + ttlMs);
    },
    delete: async ({ name }) => forget(name),
    keys: async () => texts.keys(),
    lock: createMemoryLock(),
    lockOf: ({ name }) => name,
  });
}
