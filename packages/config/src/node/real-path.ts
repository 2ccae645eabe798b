import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** A path without links in it; one that leads nowhere stays as it is. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Then there is nothing that it could be the other name of.
    return path;
  }
}

/** As {@linkcode realPathOf}, at once. */
export function realPathOfSync(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // As above.
    return path;
  }
}

/** Whether a path is a folder or below it; both without links. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
