import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseServersLock, type ServersLock } from "./servers-lock.ts";
import type { CommandContext } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";

/** The name of a lock file that nobody names. */
export const defaultLockFile = "hostside-lock.json";

/** The path of a lock file, as somebody named it. */
export function lockPath(file: string | undefined, { terminal }: Pick<CommandContext, "terminal">): string {
  return resolve(terminal.cwd, file ?? defaultLockFile);
}

/**
 * Reads a lock file; `undefined` when there is none. Throws a usage error for one that cannot be
 * read, so that nothing is written over it.
 */
export async function readLockFile(path: string): Promise<ServersLock | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`${path}: ${messageOf(error)}`);
  }
  try {
    return parseServersLock(text);
  } catch (error) {
    throw usageError(`${path}: ${messageOf(error)}`);
  }
}

/**
 * Writes a file so that a reader sees the old one or the whole new one, never half of it. Throws a
 * usage error where it cannot be written.
 */
export async function writeLockFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw usageError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
