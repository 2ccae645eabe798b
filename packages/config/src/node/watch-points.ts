import { lstatSync, readlinkSync } from "node:fs";
import { basename, join, parse, relative, resolve, sep } from "node:path";

/** Names to look out for, by the folder that they are in. Folders have no links in them. */
export type WatchPoints = ReadonlyMap<string, ReadonlySet<string>>;

const mostLinks = 40;

/**
 * What decides what is at these paths: every name on the way to each, in the folder that it is in;
 * of a link, the way that it leads, too; and the first name that is not there, because it may come.
 * So nothing is missed, whatever is replaced, moved or made.
 */
export function watchPointsOf(paths: Iterable<string>): WatchPoints {
  const points = new Map<string, Set<string>>();
  const seen = new Set<string>();
  for (const path of paths) addPoints(resolve(path), { points, seen, links: 0 });
  return points;
}

interface Walk {
  readonly points: Map<string, Set<string>>;
  readonly seen: Set<string>;
  readonly links: number;
}

function addPoints(path: string, { points, seen, links }: Walk): void {
  if (seen.has(path) || links > mostLinks) return;
  seen.add(path);
  let folder = parse(path).root;
  const names = relative(folder, path).split(sep);
  for (const [index, name] of names.entries()) {
    const known = points.get(folder) ?? new Set();
    points.set(folder, known.add(name));
    const here = join(folder, name);
    const kind = kindAt(here);
    if (kind === "link") {
      const way = resolve(folder, readLink(here), ...names.slice(index + 1));
      return addPoints(way, { points, seen, links: links + 1 });
    }
    if (kind === "nothing") return;
    folder = here;
  }
}

function kindAt(path: string): "link" | "nothing" | "there" {
  try {
    return lstatSync(path).isSymbolicLink() ? "link" : "there";
  } catch {
    // Not there, or not to be seen: either way it may change in the folder that it is in.
    return "nothing";
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It is gone again; that is seen in its folder.
    return basename(path);
  }
}
