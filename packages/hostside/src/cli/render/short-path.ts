import { isAbsolute, relative, sep } from "node:path";

/**
 * A path as a person would write it: from the working folder or the home folder, where it is below
 * one of them.
 */
export function shortPath(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const below = pathBelow(cwd, path);
  if (below !== undefined) return below;
  const atHome = pathBelow(home, path);
  return atHome === undefined ? path : `~${sep}${atHome}`;
}

function pathBelow(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
