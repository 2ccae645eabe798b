import { createMemoryLock, type Clock, type JsonObject } from "@toolport/core";
import { assertKnownOptions, systemClock, type Fields } from "@toolport/core/implement";
import { accountsAmong, describeKey, keyText } from "./credential-key.ts";
import type { CredentialStore } from "./credential-store.ts";
import { assertTtl, documentText } from "./document-text.ts";
import { createTurns } from "./turns.ts";

/** Options of {@linkcode createMemoryCredentials}. */
export interface MemoryCredentialsOptions {
  /** By which documents grow old and leases end. Default the real time. */
  readonly clock?: Clock | undefined;
}

interface Entry {
  readonly json: string;
  readonly endsAt: number;
}

const optionFields: Fields<MemoryCredentialsOptions> = { clock: true };

/**
 * Keeps credentials for as long as the process lives: a restart signs everybody out. Nothing is written anywhere.
 *
 * Throws a `TypeError` for an option that is unknown.
 */
export function createMemoryCredentials(options: MemoryCredentialsOptions = {}): CredentialStore {
  assertKnownOptions("createMemoryCredentials()", options, optionFields);
  const { clock = systemClock } = options;
  const lock = createMemoryLock({ clock });
  const turns = createTurns();
  const entries = new Map<string, Entry>();
  const forgetOld = (): void => {
    const now = clock.now();
    for (const [text, { endsAt }] of entries) if (endsAt <= now) entries.delete(text);
  };
  return {
    async load(key) {
      const text = keyText(key);
      forgetOld();
      const entry = entries.get(text);
      // Written here, by JSON.
      return entry === undefined ? undefined : (JSON.parse(entry.json) as JsonObject);
    },
    async save(key, document, ttlMs) {
      assertTtl(ttlMs);
      const text = keyText(key);
      const json = documentText(document);
      turns.assertNotLost(text, describeKey(key));
      forgetOld();
      entries.set(text, { json, endsAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs });
    },
    async clear(key) {
      const text = keyText(key);
      forgetOld();
      return entries.delete(text);
    },
    async accounts() {
      forgetOld();
      return accountsAmong(entries.keys());
    },
    async withLock(key, leaseMs, work) {
      const text = keyText(key);
      return lock.withLock(text, leaseMs, (signal) => turns.during(text, signal, () => work(signal)));
    },
  };
}
