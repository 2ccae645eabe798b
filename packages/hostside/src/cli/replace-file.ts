import { randomUUID } from "node:crypto";
import { chmod, chown, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, usageError } from "./exit-codes.ts";

/** Options of {@linkcode replaceFile}. */
export interface ReplaceOptions {
  /** Mode of a file that was not there. Default 0o666. An existing file keeps its mode. */
  readonly mode?: number | undefined;
  /**
   * Is asked at the last moment whether the file is still as it was: no lock keeps an editor from
   * saving. `false`: nothing is replaced.
   */
  readonly isAsBefore?: (() => Promise<boolean>) | undefined;
}

/**
 * Replaces a file: all of it or nothing, with the mode and the owner that it had. Folders that are
 * missing are made for the user alone. A read-only file is left alone. Resolves to whether it was
 * replaced. Rejects with a usage error.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o666, isAsBefore }: ReplaceOptions = {},
): Promise<boolean> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    const before = await stat(path).catch(() => undefined);
    // A rename would replace it all the same, where the folder may be written to.
    if (before !== undefined && (before.mode & 0o200) === 0) throw new Error("it is read-only");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const kept = before === undefined ? mode : before.mode & 0o777;
    await writeFile(fresh, text, { flag: "wx", flush: true, mode: kept });
    if (before !== undefined) {
      await chmod(fresh, kept);
      await chown(fresh, before.uid, before.gid);
    }
    if ((await isAsBefore?.()) === false) return false;
    await rename(fresh, path);
    return true;
  } catch (error) {
    throw usageError(`cannot write ${path}: ${messageOf(error)}`, "nothing was changed");
  } finally {
    await rm(fresh, { force: true }).catch(() => undefined);
  }
}
