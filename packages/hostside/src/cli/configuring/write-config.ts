import { randomUUID } from "node:crypto";
import { chown, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { HostsideError } from "@hostside/core";
import { userState } from "../../state/user-state.ts";
import type { Terminal } from "../terminal.ts";

const leaseMs = 30_000;
const mostLinks = 10;

/** Does something with a file while no other `hostside` on this machine changes it. */
export function withFile<T>({ env, home, platform }: Terminal, path: string, work: () => Promise<T>): Promise<T> {
  return userState({ env, home, platform }).lock.withLock(`config:${path}`, leaseMs, work);
}

/**
 * What a path leads to: the target of a link, whether it is there or not, because a link to a file
 * elsewhere is to stay one.
 */
export async function resolveLink(path: string, links: number = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined || links === mostLinks) return path;
    return resolveLink(isAbsolute(target) ? target : resolve(dirname(path), target), links + 1);
  }
}

/**
 * Puts a file in the place of the one before: all of it or nothing, with the rights and the owner
 * of that one. A new file is for its user alone where it is `isPrivate`, and a folder that is made
 * for it always. A file that says that nobody writes to it is left alone. Rejects with
 * `store_failed`.
 *
 * `isAsBefore` is asked at the last moment, because no lock keeps an editor from saving; resolves
 * to `false` where nothing was replaced because of it.
 */
export async function replaceFile(
  path: string,
  text: string,
  { isPrivate, isAsBefore }: { readonly isPrivate: boolean; readonly isAsBefore: () => Promise<boolean> },
): Promise<boolean> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    const before = await stat(path).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    // To rename over it would work all the same, where the folder may be written to.
    if (before !== undefined && (before.mode & 0o200) === 0) throw new Error("it is read-only");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(fresh, "wx", before === undefined ? (isPrivate ? 0o600 : 0o666) : before.mode & 0o777);
    try {
      if (before !== undefined) await file.chmod(before.mode & 0o777);
      await file.writeFile(text);
      await file.sync();
      const made = await file.stat();
      if (before !== undefined && (made.uid !== before.uid || made.gid !== before.gid)) {
        await chown(fresh, before.uid, before.gid);
      }
    } finally {
      await file.close();
    }
    const isUsed = await isAsBefore();
    if (isUsed) await rename(fresh, path);
    else await rm(fresh);
    return isUsed;
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    const why = error instanceof Error ? error.message : String(error);
    throw new HostsideError(`cannot write ${path}: ${why}; nothing was changed`, {
      code: "store_failed",
      cause: error,
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
