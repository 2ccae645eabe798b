import { join } from "node:path";
import { assertKnownOptions, clock, storeFailed, type Fields } from "@hostside/core/implement";
import {
  accountsAmong,
  describeKey,
  keyText,
  assertTtl,
  documentText,
  envelopeText,
  readDocumentEnvelope,
  type DocumentEnvelope,
} from "../store/credential-key.ts";
import { LockTurns, type CredentialKey } from "../store/credential-store.ts";
import type { SealedCredentials } from "../store/create-keyv-credentials.ts";
import {
  hashNameHex,
  createSealer,
  looksSealed,
  readSealingKeys,
  type Sealer,
  type SealingKey,
} from "../store/sealer.ts";
import { createFolderLock } from "./folder-lock.ts";
import { assertFolderPath, keepOpen, type PrivateFolder } from "./private-folder.ts";

/** Options of {@linkcode createFileCredentials}. */
export interface FileCredentialsOptions {
  /**
   * Absolute path of a folder that is for credentials alone; made when it is not there.
   * {@linkcode defaultCredentialsFolder} knows the usual place.
   */
  readonly folder: string;
  /**
   * Seals the files as well. The first seals, all open. A file that is not sealed is a
   * `store_failed` until `reseal()` has sealed it. Default: files are protected by their modes.
   */
  readonly keys?: readonly SealingKey[] | undefined;
}

const optionFields: Fields<FileCredentialsOptions> = { folder: true, keys: true };
const resealLeaseMs = 15_000;
const tidyEveryMs = 60_000;
/** Longer than anybody writes a file, or has a turn with a sign-in. */
const leftoverMs = 24 * 60 * 60 * 1000;
const documentFile = /^(?:account|client|pending)-[0-9a-f]{64}\.json$/;
// The latest file of a lock of anything else stays, so that no number comes twice.
const leftoverFile = /\.tmp$|^pending-.*\.(?:held|free)$/;
const unsealed =
  "not sealed, though this store has keys, so anybody may have written it; sign out and in again, or take over all such files with reseal()";

/**
 * Keeps credentials in a folder that its user alone may use (0700), a file for each document
 * (0600), written whole or not at all. Any number of processes on one machine may share it.
 *
 * Throws a `TypeError` for options that are wrong. An unusable folder is a `store_failed` of the
 * first operation.
 *
 * @example
 * const store = createFileCredentials({ folder: "/var/lib/my-agent/credentials" });
 */
export function createFileCredentials(options: FileCredentialsOptions): SealedCredentials {
  const owner = "createFileCredentials()";
  assertKnownOptions(owner, options, optionFields);
  const { folder: path, keys } = options;
  assertFolderPath(owner, path);
  const sealer = keys === undefined ? undefined : createSealer(readSealingKeys(owner, keys));
  const open = keepOpen(path);
  const lock = createFolderLock({ folder: async () => (await open()).path });
  const turns = new LockTurns();

  const tidy = createTidy(sealer);

  return {
    async load(key) {
      const { text, name } = await placeOf(key);
      const folder = await open();
      const found = await readDocument({ folder, sealer }, name, describeKey(key));
      if (found === undefined || isOver(found)) return undefined;
      if (found.key === text) return found.document;
      throw storeFailed(`${join(folder.path, name)} is of somebody else: it was renamed or copied`);
    },
    async save(key, document, ttlMs) {
      assertTtl(ttlMs);
      const json = documentText(document);
      const { text, name } = await placeOf(key);
      const endsAt = ttlMs === undefined ? undefined : clock.date() + ttlMs;
      const folder = await open();
      if (key.kind === "pending") await tidy(folder);
      turns.assertNotLost(name, describeKey(key));
      await writeDocument({ folder, sealer }, name, envelopeText({ key: text, endsAt, json }));
    },
    async clear(key) {
      const { name } = await placeOf(key);
      const folder = await open();
      const found = await readDocument({ folder, sealer }, name, describeKey(key)).catch(() => "unreadable" as const);
      if (found === undefined || !(await folder.remove(name))) return false;
      return found === "unreadable" || !isOver(found);
    },
    async accounts() {
      const folder = await open();
      const texts: string[] = [];
      for (const name of await folder.list()) {
        if (!name.startsWith("account-") || !documentFile.test(name)) continue;
        const found = await readDocument({ folder, sealer }, name, "the credentials");
        if (found !== undefined && !isOver(found)) texts.push(found.key);
      }
      return accountsAmong(texts);
    },
    async withLock(key, leaseMs, work) {
      const { name } = await placeOf(key);
      const take = (signal: AbortSignal): ReturnType<typeof work> => turns.during(name, { signal }, () => work(signal));
      return lock.withLock(lockOf(name), leaseMs, take);
    },
    async reseal() {
      let count = 0;
      const folder = await open();
      for (const name of (await folder.list()).filter((one) => documentFile.test(one))) {
        await lock.withLock(lockOf(name), resealLeaseMs, async (signal) => {
          const found = await readDocument({ folder, sealer, takesUnsealed: true }, name, "a document");
          if (found === undefined) return;
          signal.throwIfAborted();
          const { key, endsAt, document } = found;
          await writeDocument({ folder, sealer }, name, envelopeText({ key, endsAt, json: JSON.stringify(document) }));
          count += 1;
        });
      }
      return count;
    },
  };
}

/** Removes sign-ins whose time is over, and leftovers, at most once a minute. */
function createTidy(sealer: Sealer | undefined): (folder: PrivateFolder) => Promise<void> {
  let tidyAt = Number.NEGATIVE_INFINITY;
  return async (folder) => {
    if (clock.now() - tidyAt < tidyEveryMs) return;
    tidyAt = clock.now();
    for (const name of await folder.list()) {
      if (leftoverFile.test(name)) await folder.removeOld(name, leftoverMs);
      if (!name.startsWith("pending-") || !documentFile.test(name)) continue;
      const found = await readDocument({ folder, sealer }, name, "a sign-in").catch(() => undefined);
      if (found !== undefined && isOver(found)) await folder.remove(name);
    }
  };
}

function isOver({ endsAt }: DocumentEnvelope): boolean {
  return endsAt !== undefined && endsAt <= clock.date();
}

interface Files {
  readonly folder: PrivateFolder;
  readonly sealer: Sealer | undefined;
  readonly takesUnsealed?: boolean;
}

async function readDocument(
  { folder, sealer, takesUnsealed = false }: Files,
  name: string,
  what: string,
): Promise<DocumentEnvelope | undefined> {
  const text = await folder.read(name);
  if (text === undefined) return undefined;
  const place = { name, what: `${what} in ${join(folder.path, name)}` };
  if (!looksSealed(text)) {
    if (sealer !== undefined && !takesUnsealed) throw storeFailed(`${place.what}: ${unsealed}`);
    return readDocumentEnvelope(place.what, text);
  }
  if (sealer === undefined) throw storeFailed(`${place.what}: sealed, and no keys were given`);
  return readDocumentEnvelope(place.what, await sealer.open(place, text));
}

async function writeDocument({ folder, sealer }: Files, name: string, text: string): Promise<void> {
  if (sealer !== undefined) return folder.write(name, await sealer.seal({ name, what: name }, text));
  if (looksSealed((await folder.read(name)) ?? "")) {
    throw storeFailed(`${join(folder.path, name)}: sealed, and no keys were given`);
  }
  return folder.write(name, `${text}\n`);
}

function lockOf(name: string): string {
  return name.replace(/json$/, "lock");
}

async function placeOf(key: CredentialKey): Promise<{ readonly text: string; readonly name: string }> {
  const text = keyText(key);
  return { text, name: `${key.kind}-${await hashNameHex(text)}.json` };
}
