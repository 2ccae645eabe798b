import type { HostsideError } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  readWholeNumber,
  settleWithin,
  storeFailed,
  type Fields,
} from "@hostside/core/implement";
import { chmod, constants, lstat, mkdir, open, readdir, rename, unlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BlobSink, NewBlob, PutResult } from "../keep/blob-sink.ts";
import { createSinkRoom, isRandomName, randomName, type SinkRoom } from "../keep/sink-room.ts";

/** Options of {@linkcode createFolderSink}. */
export interface FolderSinkOptions {
  /**
   * A folder for this alone. Made when it is first used, with mode 0700; its parents too, where
   * there are none. A relative path is resolved against the working directory at which the sink is
   * created.
   */
  readonly directory: string;
  /** Bytes of all files in it together, those of earlier processes included. */
  readonly maxBytes: number;
  /** How long each file is kept, in milliseconds, also after a crash. */
  readonly ttlMs: number;
  /**
   * The treatment of the files of this sink when it is closed. Default `"delete"`. `"keep"` is for
   * handles that outlive the process in a store, and for files that a person opens later: they go
   * when they are too old.
   */
  readonly onClose?: "delete" | "keep" | undefined;
}

/** A folder of files. */
export interface FolderSink extends BlobSink {
  /**
   * Makes the folder ready and removes what is too old in it: now, instead of when the first blob
   * comes. Rejects with `store_failed` for a folder that must not be used, and as `node:fs` does.
   */
  open(): Promise<void>;
  /**
   * Waits for what is under way, at most 5 seconds, and removes the files that this sink made.
   * Never rejects. Idempotent.
   */
  close(): Promise<void>;
}

const fields: Fields<FolderSinkOptions> = { directory: true, maxBytes: true, ttlMs: true, onClose: true };
const mostFiles = 10_000;
const closeMs = 5000;
const noRoomCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * Keeps blobs as files of mode 0600 in a folder. A file has its name only when all of it is
 * written. Files of other processes in the folder count as well, and nobody removes them before
 * they are too old. Without timers.
 *
 * Throws a `TypeError` for options that make no sense.
 *
 * @example
 * const directory = "/var/lib/my-agent/kept";
 * const sink = createFolderSink({ directory, maxBytes: 1024 ** 3, ttlMs: 3_600_000 });
 */
export function createFolderSink(options: FolderSinkOptions): FolderSink {
  const { directory, room, isKept } = readOptions(options);
  const { made, pathOf, remove, refresh } = createFolder(directory, room);
  // One change after the other, so that what is counted is what is there.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  let isOpen = false;
  const openOnce = async (): Promise<void> => {
    if (isOpen) return;
    await refresh();
    isOpen = true;
  };
  let isClosed = false;
  let closing: Promise<void> | undefined;
  const put = async ({ data }: NewBlob, signal: AbortSignal | undefined): Promise<PutResult> => {
    signal?.throwIfAborted();
    if (closing !== undefined) return { kept: false, reason: "closed" };
    // Other processes may use the folder, too, and somebody may have removed it.
    await refresh();
    signal?.throwIfAborted();
    const reason = room.findRefusal(data.length);
    if (reason !== undefined) return { kept: false, reason };
    const name = randomName();
    const part = `${name}${partEnding}`;
    room.add(part, data.length);
    made.add(part);
    try {
      // `wx`: a file that is there, or a link to one, is never written to.
      await writeFile(pathOf(part), data, { flag: "wx", mode: 0o600 });
      signal?.throwIfAborted();
      await rename(pathOf(part), pathOf(name));
    } catch (error) {
      await remove(part);
      if (noRoomCodes.has(codeOf(error))) return { kept: false, reason: "full" };
      throw error;
    }
    room.remove(part);
    made.delete(part);
    room.add(name, data.length);
    made.add(name);
    if (!isClosed) return { kept: true, key: name, path: pathOf(name) };
    // Nobody comes after this one to remove it.
    if (!isKept) await remove(name);
    return { kept: false, reason: "closed" };
  };
  const close = async (): Promise<void> => {
    await settleWithin(last, closeMs);
    isClosed = true;
    if (!isKept) await settleWithin(Promise.all(Array.from(made, remove)), closeMs);
  };
  return {
    open: () => inTurn(openOnce),
    put: (blob, { signal } = {}) => inTurn(() => put(blob, signal)),
    async read(key) {
      if (closing !== undefined || !isRandomName(key)) return undefined;
      // Another process may have kept it meanwhile.
      await inTurn(() => (room.has(key) ? openOnce() : refresh()));
      return room.isLive(key) ? readFileOf(pathOf(key)) : undefined;
    },
    async delete(key) {
      if (isRandomName(key)) await inTurn(() => remove(key));
    },
    close: () => (closing ??= close()),
  };
}

interface SinkFolder {
  /** Files of this sink, half ones too. */
  readonly made: Set<string>;
  readonly pathOf: (name: string) => string;
  /** Removes a file. A file that cannot be removed still counts, and is tried again. */
  readonly remove: (name: string) => Promise<void>;
  /** Counts what is in the folder, and removes what is too old. */
  readonly refresh: () => Promise<void>;
}

function createFolder(directory: string, room: SinkRoom): SinkFolder {
  const made = new Set<string>();
  const pathOf = (name: string): string => join(directory, name);
  const remove = async (name: string): Promise<void> => {
    try {
      await unlink(pathOf(name));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") return;
    }
    room.remove(name);
    made.delete(name);
  };
  return {
    made,
    pathOf,
    remove,
    async refresh() {
      const names = new Set(await openFolder(directory));
      for (const name of room.keys()) if (!names.has(name)) room.remove(name);
      for (const name of names) {
        if (!isSinkName(name) || room.has(name)) continue;
        const facts = await lstat(pathOf(name)).catch(() => undefined);
        if (facts?.isFile() === true) room.add(name, facts.size, Math.max(0, clock.date() - facts.mtimeMs));
      }
      for (const name of room.expired()) await remove(name);
    },
  };
}

interface FolderSettings {
  readonly directory: string;
  readonly room: SinkRoom;
  readonly isKept: boolean;
}

function readOptions(options: FolderSinkOptions): FolderSettings {
  assertKnownOptions("createFolderSink()", options, fields);
  const { directory, onClose = "delete" } = options;
  if (typeof directory !== "string" || directory === "") throw new TypeError("directory must be a path");
  if (onClose !== "delete" && onClose !== "keep") throw new TypeError('onClose must be "delete" or "keep"');
  const maxBytes = readWholeNumber(options.maxBytes ?? Number.NaN, "maxBytes", { least: 1, otherwise: 0 });
  const ttlMs = readWholeNumber(options.ttlMs ?? Number.NaN, "ttlMs", { least: 1, otherwise: 0 });
  const room = createSinkRoom({ maxBytes, maxBlobs: mostFiles, ttlMs });
  return { directory: resolve(directory), room, isKept: onClose === "keep" };
}

const partEnding = ".part";

function isSinkName(name: string): boolean {
  return isRandomName(name.endsWith(partEnding) ? name.slice(0, -partEnding.length) : name);
}

/** Makes a folder, or looks whether one is fit for it. Resolves with the names of its files. */
async function openFolder(directory: string): Promise<readonly string[]> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") throw refusal(directory, "a part of its path is a file, not a folder");
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const facts = await lstat(directory);
  if (facts.isFile()) throw refusal(directory, "it is a file, not a folder");
  if (!facts.isDirectory()) throw refusal(directory, "it is a link, or no folder");
  const names = await readdir(directory);
  // Windows has no user ids, and permissions of its own.
  const uid = process.getuid?.();
  if (uid !== undefined && facts.uid !== uid) throw refusal(directory, "it belongs to another user");
  if (uid !== undefined && (facts.mode & 0o077) !== 0) {
    const isOurs = names.every(isSinkName);
    if (!isOurs) throw refusal(directory, "others may enter it, and it has files of others; chmod 700 it");
    await chmod(directory, 0o700);
  }
  return names;
}

async function readFileOf(path: string): Promise<Uint8Array | undefined> {
  try {
    // A link is not followed; Windows has neither the flag nor such links for everybody.
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return new Uint8Array(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function refusal(directory: string, why: string): HostsideError {
  return storeFailed(`directory of createFolderSink(): results cannot be kept in ${JSON.stringify(directory)}: ${why}`);
}
