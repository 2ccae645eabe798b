import { join } from "node:path";
import type { Clock, Lock } from "@hostside/core";
import { dateOf, storeFailed } from "@hostside/core/implement";
import { readDocumentEnvelope, type DocumentEnvelope } from "../store/envelope.ts";
import { looksSealed, type Sealer } from "../store/sealer.ts";
import type { PrivateFolder } from "./private-folder.ts";

/** What protects the documents of a folder beside the modes of files. */
export interface FileSealing {
  /** Seals what is written from now on; `undefined`: documents are written as they are. */
  readonly sealer: Sealer | undefined;
  /** Why a document that is sealed cannot be opened when there is no sealer. */
  readonly whyNot: string;
  /** Whether documents that are not sealed are read all the same. */
  readonly takesUnsealed: boolean;
}

/** What documents in files are made from. */
export interface FileDocumentsInit {
  readonly folder: () => Promise<PrivateFolder>;
  readonly sealing: () => Promise<FileSealing>;
  readonly lock: Lock;
  readonly clock: Clock;
}

/** A document that was read from a file. */
export interface FoundDocument extends DocumentEnvelope {
  /** Whether it is sealed as it would be now. */
  readonly isCurrent: boolean;
  /** Whether its time is over. */
  readonly isOver: boolean;
}

/** The files of documents: `<kind>-<hash of the key>.json`. */
export interface FileAccess {
  readonly folder: () => Promise<PrivateFolder>;
  readonly lock: Lock;
  readonly clock: Clock;
  names(kind?: string): Promise<readonly string[]>;
  /**
   * Rejects with `store_failed` for what is not sealed where all has to be; with `isTaken`, reads
   * it.
   */
  read(name: string, what: string, isTaken?: boolean): Promise<FoundDocument | undefined>;
  write(name: string, text: string): Promise<void>;
  /**
   * One at a time writes, so that what is sealed anew never takes the place of what was saved a
   * moment ago.
   */
  alone<T>(work: (assertAlone: () => void) => Promise<T>): Promise<T>;
  /**
   * Removes sign-ins whose time is over, and leftovers, at most once in a while. What cannot be
   * read stays.
   */
  tidy(): Promise<void>;
}

const unsealed =
  "not sealed, though this store has keys, so anybody may have written it; sign out and in again, or take over all such files with reseal()";
const tidyEveryMs = 60_000;
/** Longer than anybody writes one, or has a turn with a sign-in. */
const leftoverMs = 24 * 60 * 60 * 1000;
const documentFile = /^(?:account|client|pending)-[0-9a-f]{64}\.json$/;
const leftoverFile = /\.tmp$|^pending-.*\.(?:held|free)$/;
const writeLeaseMs = 15_000;

/** See {@linkcode FileAccess}. */
export function createFileAccess(init: FileDocumentsInit): FileAccess {
  const { folder: getFolder, sealing: getSealing, lock, clock } = init;
  let tidyAt = Number.NEGATIVE_INFINITY;
  const read: FileAccess["read"] = async (name, what, isTaken = false) => {
    const folder = await getFolder();
    const text = await folder.read(name);
    if (text === undefined) return undefined;
    const place = { name, what: `${what} in ${join(folder.path, name)}` };
    const { sealer, whyNot, takesUnsealed } = await getSealing();
    const found = (envelope: DocumentEnvelope, isCurrent: boolean): FoundDocument => {
      return { ...envelope, isCurrent, isOver: envelope.endsAt !== undefined && envelope.endsAt <= dateOf(clock) };
    };
    if (!looksSealed(text)) {
      if (sealer !== undefined && !takesUnsealed && !isTaken) throw storeFailed(`${place.what}: ${unsealed}`);
      return found(readDocumentEnvelope(place.what, text), sealer === undefined);
    }
    if (sealer === undefined) throw storeFailed(`${place.what}: sealed, and ${whyNot}`);
    const opened = await sealer.open(place, text);
    return found(readDocumentEnvelope(place.what, opened.text), opened.isCurrent);
  };
  const names: FileAccess["names"] = async (kind = "") => {
    const all = await (await getFolder()).list();
    return all.filter((name) => name.startsWith(kind) && documentFile.test(name));
  };
  return {
    folder: getFolder,
    lock,
    clock,
    names,
    read,
    async write(name, text) {
      const [folder, { sealer, whyNot }] = await Promise.all([getFolder(), getSealing()]);
      if (sealer !== undefined) return folder.write(name, await sealer.seal({ name, what: name }, text));
      // What is there may be more than what takes its place.
      if (looksSealed((await folder.read(name)) ?? "")) {
        throw storeFailed(`${join(folder.path, name)}: sealed, and ${whyNot}`);
      }
      return folder.write(name, `${text}\n`);
    },
    alone: (work) =>
      lock.withLock("folder.lock", writeLeaseMs, (signal) =>
        work(() => {
          if (signal.aborted) throw storeFailed("the folder was too slow, and somebody else has the turn to write");
        }),
      ),
    async tidy() {
      if (clock.now() - tidyAt < tidyEveryMs) return;
      tidyAt = clock.now();
      const folder = await getFolder();
      for (const name of await folder.list()) if (leftoverFile.test(name)) await folder.removeOld(name, leftoverMs);
      for (const name of await names("pending-")) {
        const found = await read(name, "a sign-in").catch(() => undefined);
        if (found?.isOver === true) await folder.remove(name);
      }
    },
  };
}
