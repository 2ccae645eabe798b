import { join } from "node:path";
import { dateOf, storeFailed } from "@hostside/core/implement";
import { accountsAmong, describeKey, keyText } from "../store/credential-key.ts";
import type { CredentialKey } from "../store/credential-store.ts";
import type { SealedCredentials } from "../store/create-keyv-credentials.ts";
import { assertTtl, documentText } from "../store/document-text.ts";
import { envelopeText } from "../store/envelope.ts";
import { hashNameHex } from "../store/hash-text.ts";
import { createLockTurns } from "../store/lock-turns.ts";
import type { FileAccess } from "./file-access.ts";

/** Credentials in a folder, a file for each document. */
export function createFileDocuments(access: FileAccess): SealedCredentials {
  const turns = createLockTurns();
  return {
    async load(key) {
      const [text, name] = await namesOf(key);
      const found = await access.read(name, describeKey(key));
      if (found === undefined || found.isOver) return undefined;
      if (found.key === text) return found.document;
      const { path } = await access.folder();
      throw storeFailed(`${join(path, name)} is of somebody else: it was renamed or copied`);
    },
    async save(key, document, ttlMs) {
      assertTtl(ttlMs);
      const json = documentText(document);
      const [text, name] = await namesOf(key);
      const endsAt = ttlMs === undefined ? undefined : dateOf(access.clock) + ttlMs;
      await access.alone(async (assertAlone) => {
        if (key.kind === "pending") await access.tidy();
        assertAlone();
        turns.assertNotLost(name, describeKey(key));
        await access.write(name, envelopeText({ key: text, endsAt, json }));
      });
    },
    async clear(key) {
      const [, name] = await namesOf(key);
      const folder = await access.folder();
      return access.alone(async () => {
        // What cannot be read can still be forgotten, and was there.
        const found = await access.read(name, describeKey(key)).catch(() => "unreadable" as const);
        if (found === undefined || !(await folder.remove(name))) return false;
        return found === "unreadable" || !found.isOver;
      });
    },
    async accounts() {
      const texts: string[] = [];
      for (const name of await access.names("account-")) {
        const found = await access.read(name, "the credentials");
        if (found?.isOver === false) texts.push(found.key);
      }
      return accountsAmong(texts);
    },
    async withLock(key, leaseMs, work) {
      const [, name] = await namesOf(key);
      const take = (signal: AbortSignal): ReturnType<typeof work> => turns.during(name, { signal }, () => work(signal));
      return access.lock.withLock(name.replace(/json$/, "lock"), leaseMs, take);
    },
    async reseal() {
      let count = 0;
      for (const name of await access.names()) {
        await access.alone(async (assertAlone) => {
          const found = await access.read(name, "a document", true);
          if (found === undefined || found.isCurrent) return;
          assertAlone();
          const { key, endsAt, document } = found;
          await access.write(name, envelopeText({ key, endsAt, json: JSON.stringify(document) }));
          count += 1;
        });
      }
      return count;
    },
  };
}

async function namesOf(key: CredentialKey): Promise<readonly [text: string, name: string]> {
  const text = keyText(key);
  return [text, `${key.kind}-${await hashNameHex(text)}.json`];
}
