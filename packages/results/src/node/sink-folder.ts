import { dateOf } from "@toolport/core/implement";
import type { BlobQuota } from "../keep/blob-quota.ts";
import type { ByteRange } from "../keep/blob-sink.ts";
import { randomName, type RandomBytes } from "../keep/random-bytes.ts";
import { fileErrorCode, type FileFacts } from "./folder-files.ts";
import { partName, type FolderParts } from "./open-folder.ts";

/** The folder of one sink, and what is known of it. */
export interface SinkFolder extends FolderParts {
  readonly pathOf: (name: string) => string;
  readonly randomBytes: RandomBytes;
  readonly quota: BlobQuota;
  readonly ttlMs: number;
  /** Names of files that this sink made and that are still there. */
  readonly made: Set<string>;
}

const mostNames = 3;

/** Writes a file under a new name, and resolves with that name. Leaves nothing behind when it fails, or what it leaves is counted. */
export async function writeOne(data: Uint8Array, folder: SinkFolder, signal: AbortSignal | undefined): Promise<string> {
  const { files, pathOf, randomBytes } = folder;
  for (let tries = 1; ; tries += 1) {
    const name = randomName(randomBytes);
    const part = partName(name);
    try {
      if (await isTaken(name, folder)) throw takenError(name);
      await files.writeNew(pathOf(part), data);
    } catch (error) {
      const isInTheWay = fileErrorCode(error) === "EEXIST";
      if (isInTheWay && tries < mostNames) continue;
      // What is in the way is somebody else's.
      if (!isInTheWay) await discard(part, data.length, folder);
      throw error;
    }
    try {
      signal?.throwIfAborted();
      await files.move(pathOf(part), pathOf(name));
      return name;
    } catch (error) {
      await discard(part, data.length, folder);
      throw error;
    }
  }
}

/** The bytes of a file; `undefined` when it is not there, too old, or no file. */
export async function readOne(name: string, range: ByteRange, folder: SinkFolder): Promise<Uint8Array | undefined> {
  const { files, pathOf, quota } = folder;
  try {
    const isLive = quota.has(name) ? quota.isLive(name) : isYoung(await files.look(pathOf(name)), folder);
    return isLive ? await files.readRange(pathOf(name), range) : undefined;
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ELOOP") return undefined;
    throw error;
  }
}

/** Removes a file. Not an error when there is none. */
export async function removeOne(name: string, { files, pathOf, quota, made }: SinkFolder): Promise<void> {
  try {
    await files.remove(pathOf(name));
  } catch (error) {
    if (fileErrorCode(error) !== "ENOENT") throw error;
  }
  made.delete(name);
  quota.remove(name);
}

/** Made by another process that has the folder, too. */
function isYoung({ kind, writtenAt }: FileFacts, { clock, ttlMs }: SinkFolder): boolean {
  return kind === "file" && dateOf(clock) - writtenAt < ttlMs;
}

async function isTaken(name: string, { files, pathOf }: SinkFolder): Promise<boolean> {
  try {
    await files.look(pathOf(name));
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

function takenError(name: string): Error {
  return Object.assign(new Error(`${name} is there already`), { code: "EEXIST" });
}

/** Removes what was written in vain. What cannot be removed takes room until it can. */
async function discard(part: string, bytes: number, folder: SinkFolder): Promise<void> {
  try {
    await removeOne(part, folder);
  } catch {
    folder.quota.found(part, bytes, 0);
    folder.made.add(part);
  }
}
