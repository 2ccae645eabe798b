import { dateOf } from "@hostside/core/implement";
import type { BlobQuota } from "../keep/blob-quota.ts";
import type { ByteRange } from "../keep/blob-sink.ts";
import { randomName, type RandomBytes } from "../keep/random-bytes.ts";
import { fileErrorCode, type FileInfo } from "./folder-files.ts";
import { openFolder, partName, wholeName, type FolderParts } from "./open-folder.ts";

/** The folder of one sink, and what is known of it. */
export interface SinkFolder extends FolderParts {
  readonly pathOf: (name: string) => string;
  readonly randomBytes: RandomBytes;
  readonly quota: BlobQuota;
  readonly ttlMs: number;
  /** Names of files that this sink made and that are still there. */
  readonly made: Set<string>;
  /** Names of files that are being written: reserved, and not counted by name yet. */
  readonly writing: Set<string>;
}

const mostNames = 3;

/**
 * Counts what is in the folder: what other sinks put there since the last time, and no longer what
 * is gone. Throws as {@linkcode openFolder} does.
 */
export async function countFolder(folder: SinkFolder): Promise<void> {
  const { quota, made, writing } = folder;
  const isCounted = (name: string): boolean => quota.has(name) || writing.has(wholeName(name));
  const counted = quota.keys();
  const { names, found } = await openFolder(folder, isCounted);
  // Others may have counted the same meanwhile.
  for (const { name, bytes, ageMs } of found) if (!isCounted(name)) quota.found(name, bytes, ageMs);
  for (const name of counted) {
    if (names.has(name)) continue;
    quota.remove(name);
    made.delete(name);
  }
}

/**
 * Writes a file under a new name, and resolves with that name, which is among those being written
 * until whoever called has counted it. Leaves nothing behind when it fails, or what it leaves is
 * counted.
 */
export async function writeOne(data: Uint8Array, folder: SinkFolder, signal: AbortSignal | undefined): Promise<string> {
  const { randomBytes, writing } = folder;
  for (let tries = 1; ; tries += 1) {
    const name = randomName(randomBytes);
    writing.add(name);
    try {
      await writeAs(name, data, { folder, signal });
      return name;
    } catch (error) {
      writing.delete(name);
      if (fileErrorCode(error) !== "EEXIST" || tries >= mostNames) throw error;
    }
  }
}

interface Writing {
  readonly folder: SinkFolder;
  readonly signal: AbortSignal | undefined;
}

async function writeAs(name: string, data: Uint8Array, { folder, signal }: Writing): Promise<void> {
  const { files, pathOf } = folder;
  const part = partName(name);
  try {
    if (await isTaken(name, folder)) throw takenError(name);
    await files.writeNew(pathOf(part), data);
  } catch (error) {
    // What is in the way is somebody else's.
    if (fileErrorCode(error) !== "EEXIST") await discard(part, data.length, folder);
    throw error;
  }
  try {
    signal?.throwIfAborted();
    await files.move(pathOf(part), pathOf(name));
  } catch (error) {
    await discard(part, data.length, folder);
    throw error;
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
function isYoung({ kind, writtenAt }: FileInfo, { clock, ttlMs }: SinkFolder): boolean {
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
