import { join } from "node:path";
import { assertKnownOptions, clock, storeFailed, type Fields } from "@hostside/core/implement";
import { createDocumentStore } from "../store/create-document-store.ts";
import {
  describeKey,
  readDocumentEnvelope,
  type DocumentEnvelope,
  type CredentialStore,
} from "../store/credential-store.ts";
import {
  hashNameHex,
  createSealer,
  looksSealed,
  readSealingKeys,
  type SealedPlace,
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
   * `store_failed`. Default: files are protected by their modes.
   */
  readonly keys?: readonly SealingKey[] | undefined;
}

const optionFields: Fields<FileCredentialsOptions> = { folder: true, keys: true };
const tidyEveryMs = 60_000;
/** Longer than anybody writes a file, or has a turn with a sign-in. */
const leftoverMs = 24 * 60 * 60 * 1000;
const documentFile = /^(?:account|client|pending)-[0-9a-f]{64}\.json$/;
// The latest file of a lock of anything else stays, so that no number comes twice.
const leftoverFile = /\.tmp$|^pending-.*\.(?:held|free)$/;
const unsealed = "not sealed, though this store has keys, so anybody may have written it; sign out and in again";

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
export function createFileCredentials(options: FileCredentialsOptions): CredentialStore {
  const owner = "createFileCredentials()";
  assertKnownOptions(owner, options, optionFields);
  const { folder: path, keys } = options;
  assertFolderPath(owner, path);
  const sealer = keys === undefined ? undefined : createSealer(readSealingKeys(owner, keys));
  const open = keepOpen(path);
  const read = async (place: SealedPlace): Promise<string | undefined> => {
    const text = await (await open()).read(place.name);
    if (text === undefined || (sealer === undefined && !looksSealed(text))) return text;
    if (sealer === undefined) throw storeFailed(`${place.what}: sealed, and no keys were given`);
    if (!looksSealed(text)) throw storeFailed(`${place.what}: ${unsealed}`);
    return sealer.open(place, text);
  };
  const envelopeIn = async (name: string, folder: PrivateFolder): Promise<DocumentEnvelope | undefined> => {
    const what = `the credentials in ${join(folder.path, name)}`;
    const text = await read({ name, what });
    return text === undefined ? undefined : readDocumentEnvelope(what, text);
  };
  const tidy = createTidy(envelopeIn);
  return createDocumentStore({
    async placeOf(key, text) {
      const name = `${key.kind}-${await hashNameHex(text)}.json`;
      return { name, what: `${describeKey(key)} in ${join((await open()).path, name)}` };
    },
    get: read,
    async set(place, text, { assertNotLost }) {
      const folder = await open();
      if (place.kind === "pending") await tidy(folder);
      assertNotLost();
      // Nothing that is sealed is replaced by what is not.
      if (sealer === undefined) await read(place);
      await folder.write(place.name, sealer === undefined ? `${text}\n` : await sealer.seal(place, text));
    },
    delete: async ({ name }) => (await open()).remove(name),
    async keys() {
      const folder = await open();
      const texts: string[] = [];
      for (const name of await folder.list()) {
        if (!name.startsWith("account-") || !documentFile.test(name)) continue;
        const found = await envelopeIn(name, folder);
        if (found !== undefined && !isOver(found)) texts.push(found.key);
      }
      return texts;
    },
    lock: createFolderLock({ folder: async () => (await open()).path }),
    lockOf: ({ name }) => name.replace(/json$/, "lock"),
  });
}

/** Removes sign-ins whose time is over, and leftovers, at most once a minute. */
function createTidy(
  envelopeIn: (name: string, folder: PrivateFolder) => Promise<DocumentEnvelope | undefined>,
): (folder: PrivateFolder) => Promise<void> {
  let tidyAt = Number.NEGATIVE_INFINITY;
  return async (folder) => {
    if (clock.now() - tidyAt < tidyEveryMs) return;
    tidyAt = clock.now();
    for (const name of await folder.list()) {
      if (leftoverFile.test(name)) await folder.removeOld(name, leftoverMs);
      if (!name.startsWith("pending-") || !documentFile.test(name)) continue;
      const found = await envelopeIn(name, folder).catch(() => undefined);
      if (found !== undefined && isOver(found)) await folder.remove(name);
    }
  };
}

function isOver({ endsAt }: DocumentEnvelope): boolean {
  return endsAt !== undefined && endsAt <= clock.date();
}
