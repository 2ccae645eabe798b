import type { Clock } from "@hostside/core";
import { assertKnownOptions, systemClock, systemRandom, type Fields } from "@hostside/core/implement";
import type { SealedCredentials } from "../store/create-keyv-credentials.ts";
import { createSealer } from "../store/sealer.ts";
import { readSealingKeys, type SealingKey } from "../store/sealing-key.ts";
import { createFileAccess, type FileAccess, type FileSealing } from "./file-access.ts";
import { createFileDocuments } from "./file-documents.ts";
import { createFolderLock } from "./folder-lock.ts";
import { assertFolderPath, keepOpen } from "./private-folder.ts";

/** Options of {@linkcode createFileCredentials}. */
export interface FileCredentialsOptions {
  /**
   * Absolute path of a folder that is for credentials alone; made when it is not there.
   * {@linkcode defaultCredentialsFolder} knows the usual place.
   */
  readonly folder: string;
  /**
   * Seals the files as well. The first seals, all open. A file that is not sealed is a
   * `store_failed` until `reseal()` has sealed it. Default: what protects them is that no other
   * user may read them.
   */
  readonly keys?: readonly SealingKey[] | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}

const optionFields: Fields<FileCredentialsOptions> = { folder: true, keys: true, clock: true };

/** How long anybody waits for a turn with a document. */
const maxWaitMs = 60_000;

/**
 * Keeps credentials in a folder that its user alone may use (0700), a file for each document
 * (0600), written whole or not at all. Any number of processes on one machine may share it.
 *
 * Throws a `TypeError` for options that are wrong. What is wrong with the folder is a
 * `store_failed` of whatever is done first.
 */
export function createFileCredentials(options: FileCredentialsOptions): SealedCredentials {
  const owner = "createFileCredentials()";
  assertKnownOptions(owner, options, optionFields);
  const { folder, keys, clock = systemClock } = options;
  assertFolderPath(owner, folder);
  const sealer = keys === undefined ? undefined : createSealer(readSealingKeys(owner, keys));
  return createFileDocuments(
    openFiles(folder, clock, async () => ({ sealer, whyNot: "no keys were given", takesUnsealed: false })),
  );
}

/**
 * The files of a folder that is opened when it is first needed, and again as long as that fails.
 */
export function openFiles(
  path: string,
  clock: Clock,
  sealing: (files: FileAccess) => Promise<FileSealing>,
): FileAccess {
  const folder = keepOpen(path, clock);
  const lock = createFolderLock({ folder: async () => (await folder()).path, clock, random: systemRandom, maxWaitMs });
  const files: FileAccess = createFileAccess({ folder, sealing: () => sealing(files), lock, clock });
  return files;
}
