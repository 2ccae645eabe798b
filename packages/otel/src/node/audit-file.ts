import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { lstat, open, readdir, rename, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { assertKnownOptions, isPlainObject, storeFailed, type Fields } from "@hostside/core/implement";
import type { AuditSink } from "../audit/audit-writer.ts";
import { noLines, type AuditHead } from "../audit/audit-line.ts";
import { lockFile } from "./lock-file.ts";
import { verifyAuditLog, type AuditVerdict, type VerifyAuditOptions } from "../audit/verify-audit-log.ts";

/** Options of {@linkcode openAuditFile}. */
export interface AuditFileOptions {
  /**
   * The file that is written to; its folder is there. One process writes to it, which a lock file
   * beside it sees to: give each replica its own.
   */
  readonly path: string;
  /**
   * When it is larger than so many bytes, it is renamed to `<path>.<number of its last line>`, and
   * the next one goes on with the chain. Nothing is ever deleted. Default 67,108,864.
   */
  readonly maxFileBytes?: number | undefined;
  /**
   * Whether lines count as written only when the disk has them. Default `true`: what is written
   * together is synced together.
   */
  readonly sync?: boolean | undefined;
}

const fields: Fields<AuditFileOptions> = { path: true, maxFileBytes: true, sync: true };
// O_NOFOLLOW is not there on Windows.
const openFlags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a file, which only its owner may read (0600), as the sink of an audit log, and finds out
 * where it ends: in the last whole line. What stands after that, because a process died while it
 * wrote, is taken away, and the first line of the new process says how much it was. Rejects with
 * `store_failed` for a file that cannot be opened, that another process writes to (one that has
 * died does not), or whose last whole line is none of such a log, and with a `TypeError` for
 * options.
 */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditSink & { close(): Promise<void> }> {
  assertKnownOptions("openAuditFile()", options, fields);
  const { path, maxFileBytes = 64 * 1024 * 1024, sync = true } = options;
  if (typeof path !== "string" || path === "") throw new TypeError("path must be a text that is not empty");
  if (!Number.isInteger(maxFileBytes) || maxFileBytes < 1)
    throw new TypeError("maxFileBytes must be a whole number above 0");
  if (typeof sync !== "boolean") throw new TypeError("sync must be true or false");
  const unlock = await lock(path);
  const opened = await openAtEnd(path).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  const { head, cutBytes } = opened;
  let { file, size } = opened;

  const rotate = async (lastSeq: number): Promise<void> => {
    const full = `${path}.${lastSeq}`;
    // To rename onto a file takes that one away.
    if (await exists(full))
      throw new Error(`there is a file already where the full one of the audit log would go: ${full}`);
    await rename(path, full);
    const next = await openFile(path).catch(async (error: unknown) => {
      await rename(full, path);
      throw error;
    });
    const before = file;
    file = next;
    size = 0;
    await before.close();
  };
  return {
    head,
    cutBytes,
    async write(text, seq) {
      const bytes = Buffer.byteLength(text);
      await assertStillThere(path, file);
      if (size > 0 && size + bytes > maxFileBytes) await rotate(seq - 1);
      const found = (await file.stat()).size;
      // Of an earlier write that failed there may be a part; what somebody else wrote is not ours
      // to take away.
      if (found !== size) throw new Error(`somebody else writes to the audit log: it has ${found} bytes, not ${size}`);
      try {
        await file.appendFile(text);
        if (sync) await file.datasync();
        size += bytes;
      } catch (error) {
        await file.truncate(size);
        throw error;
      }
    },
    async close() {
      await file.close();
      await unlock();
    },
  };
}

async function lock(path: string): Promise<() => Promise<void>> {
  try {
    return await lockFile(path);
  } catch (error) {
    throw storeFailed("the file of the audit log cannot be opened", error);
  }
}

async function openAtEnd(path: string): Promise<End & { readonly file: FileHandle }> {
  const file = await openFile(path);
  try {
    return { ...(await findEnd(path, file)), file };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, openFlags, 0o600);
    try {
      // A device or a pipe keeps nothing, and its mode is not ours to change.
      if (!(await file.stat()).isFile()) throw new Error("it is no file");
      // One that was there already may be open to others.
      await file.chmod(0o600);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw storeFailed("the file of the audit log cannot be opened", error);
  }
}

/**
 * Throws where the file was renamed, removed or replaced by somebody else: what is written to it
 * then would be nowhere, or in a file that is full.
 */
async function assertStillThere(path: string, file: FileHandle): Promise<void> {
  const [named, own] = await Promise.all([stat(path), file.stat()]);
  if (named.ino !== own.ino || named.dev !== own.dev)
    throw new Error("somebody else has moved the file of the audit log");
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

interface End {
  readonly head: AuditHead;
  readonly size: number;
  readonly cutBytes: number;
}

/** Where the log ends; in the newest file before this one, if this one has no whole line. */
async function findEnd(path: string, file: FileHandle): Promise<End> {
  const { size } = await file.stat();
  const { line, end } = await readLastLine(file, size);
  if (end < size) await file.truncate(end);
  const cutBytes = size - end;
  if (line !== undefined) return { head: headOf(line), size: end, cutBytes };
  const before = (await rotatedFiles(path)).at(-1);
  if (before === undefined) return { head: noLines, size: 0, cutBytes };
  const earlier = await open(before, "r");
  try {
    const last = await readLastLine(earlier, (await earlier.stat()).size);
    return { head: last.line === undefined ? noLines : headOf(last.line), size: 0, cutBytes };
  } finally {
    await earlier.close();
  }
}

const blockBytes = 64 * 1024;
const longestLine = 16 * 1024 * 1024;

/** The last line that has an end, and where the next one begins. */
async function readLastLine(file: FileHandle, size: number): Promise<{ readonly line?: Buffer; readonly end: number }> {
  let tail: Buffer = Buffer.alloc(0);
  let from = size;
  for (;;) {
    const lastBreak = tail.lastIndexOf(0x0a);
    const breakBefore = lastBreak <= 0 ? -1 : tail.lastIndexOf(0x0a, lastBreak - 1);
    if (lastBreak !== -1 && (breakBefore !== -1 || from === 0)) {
      return { line: tail.subarray(breakBefore + 1, lastBreak), end: from + lastBreak + 1 };
    }
    if (from === 0) return { end: 0 };
    if (tail.length > longestLine) throw storeFailed("the file of the audit log has a line that is none of such a log");
    const length = Math.min(blockBytes, from);
    from -= length;
    const block = Buffer.alloc(length);
    await file.read(block, 0, length, from);
    tail = Buffer.concat([block, tail]);
  }
}

function headOf(line: Buffer): AuditHead {
  const parsed = parse(line);
  if (parsed === undefined) {
    throw storeFailed("the last line of the audit log is none of such a log: verify it, and begin another file");
  }
  return { seq: parsed, hash: createHash("sha256").update(line).digest("hex") };
}

function parse(line: Buffer): number | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isPlainObject(value) && isSeq(value["seq"]) ? value["seq"] : undefined;
  } catch {
    return undefined;
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** The files that were full, the oldest first. */
async function rotatedFiles(path: string): Promise<readonly string[]> {
  const name = basename(path);
  const numbers = (await readdir(dirname(path)))
    .filter((entry) => entry.startsWith(`${name}.`) && /^[1-9]\d{0,15}$/.test(entry.slice(name.length + 1)))
    .map((entry) => Number(entry.slice(name.length + 1)));
  return numbers.toSorted((a, b) => a - b).map((number) => join(dirname(path), `${name}.${number}`));
}

/**
 * Verifies a log with all files that it has had, as `verifyAuditLog` does. Rejects with
 * `store_failed` for a file that cannot be read.
 */
export async function verifyAuditFiles(path: string, options: VerifyAuditOptions = {}): Promise<AuditVerdict> {
  return verifyAuditLog(readAll(path), options);
}

async function* readAll(path: string): AsyncGenerator<string | Uint8Array> {
  const before = await rotatedFiles(path).catch((error: unknown) => notRead(path, error));
  for (const file of [...before, path]) {
    try {
      for await (const piece of createReadStream(file)) yield piece as Uint8Array;
    } catch (error) {
      notRead(file, error);
    }
  }
}

function notRead(file: string, error: unknown): never {
  throw storeFailed(`the file ${JSON.stringify(file)} of the audit log cannot be read`, error);
}
