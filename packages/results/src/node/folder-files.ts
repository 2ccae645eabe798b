import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import type { ByteRange } from "../keep/blob-sink.ts";

/** What a file system says of a path. */
export interface FileInfo {
  readonly kind: "file" | "directory" | "other";
  readonly bytes: number;
  /** Permission bits. */
  readonly mode: number;
  /** Who it belongs to. */
  readonly uid: number;
  /** When it was written, in milliseconds since 1970. */
  readonly writtenAt: number;
}

/**
 * What a folder sink does with files: a seam, so that a full disk can be had without one. Failures
 * reject as those of `node:fs`.
 */
export interface FolderFiles {
  /** With mode 0700, its parents too; not an error when it is there. */
  makeFolder(path: string): Promise<void>;
  /** Of the path itself, never of what a link points to. */
  look(path: string): Promise<FileInfo>;
  list(path: string): Promise<readonly string[]>;
  setMode(path: string, mode: number): Promise<void>;
  /**
   * A new file of mode 0600. Rejects with `EEXIST` for anything that is there, a link too, which is
   * not followed.
   */
  writeNew(path: string, data: Uint8Array): Promise<void>;
  /** Puts a file in the place of another name, in one step. */
  move(from: string, to: string): Promise<void>;
  /** Rejects with `ELOOP` for a link. */
  readRange(path: string, range: ByteRange): Promise<Uint8Array>;
  remove(path: string): Promise<void>;
}

/** The real files. None of them stays open. */
export const nodeFiles: FolderFiles = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  async look(path) {
    const facts = await lstat(path);
    const kind = facts.isFile() ? "file" : facts.isDirectory() ? "directory" : "other";
    return { kind, bytes: facts.size, mode: facts.mode & 0o777, uid: facts.uid, writtenAt: facts.mtimeMs };
  },
  list: (path) => readdir(path),
  setMode: (path, mode) => chmod(path, mode),
  async writeNew(path, data) {
    // `wx`: a file that is there, or a link to one, is never written to.
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(data);
    } finally {
      await file.close();
    }
  },
  move: (from, to) => rename(from, to),
  async readRange(path, { offset, length }) {
    // Windows has neither the flag nor such links for everybody.
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await file.stat();
      const data = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      let filled = 0;
      while (filled < data.length) {
        const { bytesRead } = await file.read(data, filled, data.length - filled, offset + filled);
        if (bytesRead === 0) return data.subarray(0, filled);
        filled += bytesRead;
      }
      return data;
    } finally {
      await file.close();
    }
  },
  remove: (path) => unlink(path),
};

/** The code of a failed file operation, such as `ENOENT`; `undefined` for any other error. */
export function fileErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
