import type { Clock } from "@hostside/core";
import { assertKnownOptions, settleWithin, systemClock, type Fields } from "@hostside/core/implement";
import { join, resolve } from "node:path";
import { createBlobQuota } from "../keep/blob-quota.ts";
import type { BlobSink, NewBlob, PutResult } from "../keep/blob-sink.ts";
import { isRandomName, systemRandomBytes, type RandomBytes } from "../keep/random-bytes.ts";
import { readCount } from "../keep/read-count.ts";
import { fileErrorCode, nodeFiles, type FolderFiles } from "./folder-files.ts";
import { countFolder, readOne, removeOne, writeOne, type SinkFolder } from "./sink-folder.ts";

/** Options of {@linkcode createFolderSink}. */
export interface FolderSinkOptions {
  /**
   * A folder for this alone. Made when it is first used, with mode 0700; its parents too, where
   * there are none. A relative path is resolved against the working directory at which the sink is
   * created.
   */
  readonly directory: string;
  /** Of all files in it together, those of earlier processes included. */
  readonly maxBytes: number;
  /** Default 10,000. */
  readonly maxFiles?: number | undefined;
  /** How long each file is kept, in milliseconds, also after a crash. */
  readonly ttlMs: number;
  /**
   * What becomes of the files of this sink when it is closed. Default `"delete"`. `"keep"` is for
   * handles that outlive the process in a store, and for files that a person opens later: they go
   * when they are too old.
   */
  readonly onClose?: "delete" | "keep" | undefined;
  /** Default: the real time. Ages of files are dates. */
  readonly clock?: Clock | undefined;
  /** Where names of files come from. Default: the runtime's generator for secrets. */
  readonly randomBytes?: RandomBytes | undefined;
  /** Default: the real files. */
  readonly files?: FolderFiles | undefined;
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

const fields: Fields<FolderSinkOptions> = {
  directory: true,
  maxBytes: true,
  maxFiles: true,
  ttlMs: true,
  onClose: true,
  clock: true,
  randomBytes: true,
  files: true,
};
const closeMs = 5000;
const noRoomCodes: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * Keeps blobs as files of mode 0600, each named by 32 random hexadecimal digits: nothing of a name
 * comes from a server. A file has its name only when all of it is written. It is not forced to the
 * disk: after a power cut nobody has a handle of it.
 *
 * Without timers: what is too old is never given out, and its file goes when the next blob comes or
 * a sink opens the folder. Several sinks, also of several processes, may have one folder: each
 * counts all files in it when a blob comes, so that only what they write at the very same time can
 * go beyond a bound. Nothing is touched that has not such a name, and no link is followed.
 *
 * A full disk is a result (`"full"`), as is a full quota. Throws a `TypeError` for an option that
 * is unknown or of a wrong type.
 */
export function createFolderSink(options: FolderSinkOptions): FolderSink {
  const folder = readOptions(options);
  const { quota, made, clock } = folder;
  const underWay = new Set<Promise<unknown>>();
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let isClosed = false;

  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.then(ignore, ignore).then(() => void underWay.delete(settled));
    underWay.add(settled);
    return work;
  };
  const sweep = async (): Promise<void> => {
    // One that cannot be removed counts on, and is tried again.
    await Promise.allSettled(quota.expired().map((name) => removeOne(name, folder)));
  };
  const openNow = async (): Promise<void> => {
    try {
      await countFolder(folder);
      await sweep();
    } catch (error) {
      // Somebody may mend the folder.
      opening = undefined;
      throw error;
    }
  };
  const open = (): Promise<void> => (opening ??= openNow());
  const put = async ({ data }: NewBlob, signal: AbortSignal | undefined): Promise<PutResult> => {
    signal?.throwIfAborted();
    // Other processes may have the folder, too, and somebody may have removed it.
    await (opening = openNow());
    signal?.throwIfAborted();
    if (closing !== undefined) return { kept: false, reason: "closed" };
    const reason = quota.reserve(data.length);
    if (reason !== undefined) return { kept: false, reason };
    let name: string;
    try {
      name = await writeOne(data, folder, signal);
    } catch (error) {
      quota.release(data.length);
      if (noRoomCodes.has(fileErrorCode(error))) return { kept: false, reason: "full" };
      throw error;
    }
    made.add(name);
    quota.fill(name, data.length);
    folder.writing.delete(name);
    // Nobody comes after this one to remove it.
    if (isClosed && options.onClose !== "keep") await removeOne(name, folder);
    return isClosed ? { kept: false, reason: "closed" } : { kept: true, key: name, path: folder.pathOf(name) };
  };
  const close = async (): Promise<void> => {
    await settleWithin(Promise.all(underWay), closeMs, clock);
    isClosed = true;
    if (options.onClose === "keep") return;
    await settleWithin(Promise.allSettled(Array.from(made, (name) => removeOne(name, folder))), closeMs, clock);
  };
  return {
    open: () => track(open()),
    put: (blob, { signal } = {}) => track(put(blob, signal)),
    async read(key, range) {
      if (closing !== undefined || !isRandomName(key)) return undefined;
      return track(open().then(() => readOne(key, range, folder)));
    },
    async delete(key) {
      if (isRandomName(key)) await track(removeOne(key, folder));
    },
    close: () => (closing ??= close()),
  };
}

function ignore(): void {}

function readOptions(options: FolderSinkOptions): SinkFolder {
  assertKnownOptions("createFolderSink()", options, fields);
  const { directory, onClose, clock = systemClock, randomBytes = systemRandomBytes, files = nodeFiles } = options;
  if (typeof directory !== "string" || directory === "") throw new TypeError("directory must be a path");
  if (onClose !== undefined && onClose !== "delete" && onClose !== "keep") {
    throw new TypeError('onClose must be "delete" or "keep"');
  }
  const ttlMs = readCount(options.ttlMs, "ttlMs");
  const quota = createBlobQuota({
    maxBytes: readCount(options.maxBytes, "maxBytes"),
    maxBlobs: readCount(options.maxFiles, "maxFiles", { otherwise: 10_000 }),
    ttlMs,
    clock,
  });
  const path = resolve(directory);
  return {
    directory: path,
    pathOf: (name) => join(path, name),
    files,
    clock,
    randomBytes,
    uid: process.getuid?.(),
    quota,
    ttlMs,
    made: new Set(),
    writing: new Set(),
  };
}
