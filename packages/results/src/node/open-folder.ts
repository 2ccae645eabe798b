import { dateOf, storeFailed } from "@hostside/core/implement";
import type { Clock, HostsideError } from "@hostside/core";
import { join } from "node:path";
import { isRandomName } from "../keep/random-bytes.ts";
import { fileErrorCode, type FolderFiles } from "./folder-files.ts";

/** A file that a sink made: an earlier one, or that of another process. */
export interface LeftoverFile {
  readonly name: string;
  readonly bytes: number;
  readonly ageMs: number;
}

/** What opening a folder needs. */
export interface FolderParts {
  readonly directory: string;
  readonly files: FolderFiles;
  readonly clock: Clock;
  /**
   * Of this process; `undefined` where the system has no such thing, and no permission bits either.
   */
  readonly uid: number | undefined;
}

const partEnding = ".part";

/** What is in a folder. */
export interface FolderContents {
  /** Of all that is in it, whoever made it. */
  readonly names: ReadonlySet<string>;
  /** The files of a sink that were not known. */
  readonly found: readonly LeftoverFile[];
}

/** What a file is called until all of it is written. */
export function partName(name: string): string {
  return `${name}${partEnding}`;
}

/** What a file is called when all of it is written. */
export function wholeName(name: string): string {
  return name.endsWith(partEnding) ? name.slice(0, -partEnding.length) : name;
}

/** Whether a file has a name that only a folder sink gives. */
export function isSinkName(name: string): boolean {
  return isRandomName(wholeName(name));
}

/**
 * Makes a folder that nobody else can look into, where there is none, and lists what is in it.
 * `isKnown` says which files need no look.
 *
 * A folder with wider permissions is mended when nothing but such files is in it: it was made for
 * this, by an older program or another `umask`. When there is anything else in it, to close it
 * could take something from somebody, and to use it would show results of tools to everybody: it is
 * refused, as is one of another user, or a link in its place. Throws `store_failed` then, and as
 * `node:fs` does.
 */
export async function openFolder(
  parts: FolderParts,
  isKnown: (name: string) => boolean = () => false,
): Promise<FolderContents> {
  const { directory, files, uid } = parts;
  await makeFolder(directory, files);
  const { kind, mode, uid: owner } = await files.look(directory);
  if (kind === "file") throw refusal(directory, "it is a file, not a folder");
  if (kind !== "directory") throw refusal(directory, "it is a link, or no folder");
  const names = await files.list(directory);
  if (uid !== undefined) {
    if (owner !== uid) throw refusal(directory, "it belongs to another user");
    if ((mode & 0o077) !== 0) {
      if (!names.every(isSinkName))
        throw refusal(directory, "others may enter it, and it has files of others; chmod 700 it");
      await files.setMode(directory, 0o700);
    }
  }
  const unknown = names.filter((name) => isSinkName(name) && !isKnown(name));
  const found = await Promise.all(unknown.map((name) => lookAtLeftover(name, parts)));
  return { names: new Set(names), found: found.filter((file) => file !== undefined) };
}

async function makeFolder(directory: string, files: FolderFiles): Promise<void> {
  try {
    await files.makeFolder(directory);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOTDIR") throw refusal(directory, "a part of its path is a file, not a folder");
    // Whoever looks at it says what is there instead of a folder.
    if (code !== "EEXIST") throw error;
  }
}

async function lookAtLeftover(
  name: string,
  { directory, files, clock }: FolderParts,
): Promise<LeftoverFile | undefined> {
  try {
    const { kind, bytes, writtenAt } = await files.look(join(directory, name));
    return kind === "file" ? { name, bytes, ageMs: Math.max(0, dateOf(clock) - writtenAt) } : undefined;
  } catch {
    // Gone meanwhile, or nothing that can be looked at: not ours to count.
    return undefined;
  }
}

function refusal(directory: string, why: string): HostsideError {
  return storeFailed(`directory of createFolderSink(): results cannot be kept in ${JSON.stringify(directory)}: ${why}`);
}
