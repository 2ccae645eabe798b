import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { openPrivateFolder, type PrivateFolder } from "@hostside/auth/node";
import { HostsideError, type JsonObject, type Store } from "@hostside/core";
import { clock, assertKnownOptions, isJsonObject, quoteText, type Fields } from "@hostside/core/implement";

/** Options of {@linkcode createFileStore}. */
export interface FileStoreOptions {
  /** Absolute path of a folder that is for this store alone; made when something is first kept. */
  readonly folder: string;
}

const optionFields: Fields<FileStoreOptions> = { folder: true };

/**
 * A store in a folder that its user alone may use (0700), a file for each key (0600), written whole
 * or not at all. Any number of processes on one machine may share it; of two that write one key at
 * the same time the later one wins. Rejects with `store_failed`, which names the file, for what
 * cannot be read or written, for a file that somebody has edited into something else, and for a
 * folder that others may change: what is unreadable is never taken for absent.
 *
 * `set` rejects with a `TypeError` for a value that JSON cannot write, and for a time that is not
 * above 0. Throws a `TypeError` for options that are wrong.
 *
 * @example
 * const store = createFileStore({ folder: "/var/lib/my-agent/state" });
 */
export function createFileStore(options: FileStoreOptions): Store {
  assertKnownOptions("createFileStore()", options, optionFields);
  const { folder: path } = options;
  if (typeof path !== "string" || !isAbsolute(path)) throw new TypeError("folder must be an absolute path");
  let opened: Promise<PrivateFolder> | undefined;
  const open = (): Promise<PrivateFolder> => {
    opened ??= openPrivateFolder(path).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  let isTidy = false;
  // Who only looks leaves no folder behind.
  const openIfThere = async (): Promise<PrivateFolder | undefined> =>
    // One that is there and cannot be looked at fails when something is kept, with a reason.
    opened === undefined && !existsSync(path) ? undefined : open();
  return {
    async get(key) {
      const folder = await openIfThere();
      const file = fileOf(key);
      const text = await folder?.read(file);
      if (text === undefined) return undefined;
      const entry = readEntry(text);
      if (entry?.["key"] !== key) throw notOurs(join(path, file));
      return isOver(entry) ? undefined : entry["value"];
    },
    async set(key, value, ttlMs) {
      if ((JSON.stringify(value) as string | undefined) === undefined) {
        throw new TypeError(`the value of ${quoteText(key)} is none that JSON has`);
      }
      if (ttlMs !== undefined && !(typeof ttlMs === "number" && ttlMs > 0)) {
        throw new TypeError("ttlMs must be a number above 0");
      }
      const entry = { key, value, ...(ttlMs !== undefined && { endsAt: clock.date() + ttlMs }) };
      const folder = await open();
      await folder.write(fileOf(key), `${JSON.stringify(entry)}\n`);
      if (!isTidy) await tidy(folder);
      isTidy = true;
      return true;
    },
    async delete(key) {
      const folder = await openIfThere();
      return (await folder?.remove(fileOf(key))) === true;
    },
  };
}

// Some file systems do not know capitals apart, and no key is too long or too odd for it.
function fileOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex").slice(0, 40)}.json`;
}

function readEntry(text: string): JsonObject | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    return isJsonObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isOver({ endsAt }: JsonObject): boolean {
  return typeof endsAt === "number" && endsAt <= clock.date();
}

function notOurs(file: string): HostsideError {
  const message = `${file} is not as it was written: repair it, or delete it to forget what it was`;
  return new HostsideError(message, { code: "store_failed" });
}

const mostTidied = 1000;
// Nobody writes for so long, and what was written anew a moment ago stays.
const leftoverMs = 60 * 60 * 1000;

/** Removes values whose time is over, and what a crash left behind. */
async function tidy(folder: PrivateFolder): Promise<void> {
  const files = await folder.list();
  for (const file of files.slice(0, mostTidied)) {
    // What cannot be read or removed stays; whoever needs it hears why.
    await tidyFile(folder, file).catch(() => undefined);
  }
}

async function tidyFile(folder: PrivateFolder, file: string): Promise<void> {
  if (file.endsWith(".tmp")) return folder.removeOld(file, leftoverMs);
  const entry = file.endsWith(".json") ? readEntry((await folder.read(file)) ?? "") : undefined;
  if (entry !== undefined && isOver(entry)) await folder.removeOld(file, leftoverMs);
}
