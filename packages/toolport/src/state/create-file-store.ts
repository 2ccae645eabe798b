import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ToolportError, type Clock, type Store } from "@toolport/core";
import { assertKnownOptions, dateOf, isJsonObject, systemClock, type Fields } from "@toolport/core/implement";

/** Options of {@linkcode createFileStore}. */
export interface FileStoreOptions {
  /** Absolute path of a folder that is for this store alone; made when something is first kept. */
  readonly folder: string;
  /** By which values grow old. Default the real time. */
  readonly clock?: Clock | undefined;
}

const optionFields: Fields<FileStoreOptions> = { folder: true, clock: true };

/**
 * A store in a folder that its user alone may read, a file for each key, written whole or not at all. Of two processes that write one key at the same time
 * the later one wins. Rejects with `store_failed` for what cannot be read or written.
 */
export function createFileStore(options: FileStoreOptions): Store {
  assertKnownOptions("createFileStore()", options, optionFields);
  const { folder, clock = systemClock } = options;
  if (typeof folder !== "string" || !isAbsolute(folder)) throw new TypeError("folder must be an absolute path");
  const fileOf = (key: string): string =>
    join(folder, `${createHash("sha256").update(key).digest("hex").slice(0, 40)}.json`);
  return {
    async get(key) {
      const file = fileOf(key);
      try {
        const entry: unknown = JSON.parse(await readFile(file, "utf8"));
        if (!isJsonObject(entry) || entry["key"] !== key) return undefined;
        const { endsAt } = entry;
        return typeof endsAt === "number" && endsAt <= dateOf(clock) ? undefined : entry["value"];
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw failed("read", file, error);
      }
    },
    async set(key, value, ttlMs) {
      const file = fileOf(key);
      const fresh = `${file}.${randomUUID()}.tmp`;
      const entry = { key, value, ...(ttlMs !== undefined && { endsAt: dateOf(clock) + ttlMs }) };
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(fresh, JSON.stringify(entry), { mode: 0o600, flush: true });
        await rename(fresh, file);
      } catch (error) {
        await rm(fresh, { force: true }).catch(() => undefined);
        throw failed("write", file, error);
      }
    },
    async delete(key) {
      await rm(fileOf(key), { force: true });
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function failed(verb: "read" | "write", file: string, cause: unknown): ToolportError {
  return new ToolportError(`cannot ${verb} ${file}`, { code: "store_failed", cause });
}
