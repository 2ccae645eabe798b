import { existsSync, watch, lstatSync, readlinkSync } from "node:fs";
import { basename, join, parse, relative, resolve, sep } from "node:path";

/** Watches folders, and says that something may have changed; never what. */
export interface FolderWatch {
  /**
   * Watches what it watches anew, without a moment in which it does not: a folder that was replaced
   * has the same name, and may have the same number, and the system still watches the one that is
   * gone. For the beginning of each reading.
   */
  renew(): void;
  /** Watches these and no others from now on. Says whether any is watched that was not before. */
  arm(points: WatchPoints): boolean;
  /** Folders of the last `arm` that are there and that the system does not watch. */
  readonly unwatched: readonly string[];
  close(): void;
}

interface Watched {
  names: ReadonlySet<string>;
  close(): void;
}

/** No folder yet. `onHint` is called as often as the system likes. */
export function createFolderWatch(onHint: () => void): FolderWatch {
  const watched = new Map<string, Watched>();
  let unwatched: readonly string[] = [];

  const open = (folder: string, names: ReadonlySet<string>): Watched => {
    const entry: Watched = { names, close: () => watcher.close() };
    const watcher = watch(folder, (_, name) => {
      if (name === null || entry.names.has(fold(name))) onHint();
    });
    // A folder that goes away is an error on some systems.
    watcher.on("error", () => {
      watcher.close();
      if (watched.get(folder) === entry) watched.delete(folder);
      onHint();
    });
    return entry;
  };

  return {
    get unwatched() {
      return unwatched;
    },
    renew() {
      for (const [folder, entry] of Array.from(watched)) {
        watched.delete(folder);
        try {
          watched.set(folder, open(folder, entry.names));
        } catch {
          // It is gone; what is to be watched in its place is found with the next reading.
        }
        entry.close();
      }
    },
    arm(points) {
      for (const [folder, entry] of Array.from(watched)) {
        if (points.has(folder)) continue;
        watched.delete(folder);
        entry.close();
      }
      const failed: string[] = [];
      let isNew = false;
      for (const [folder, written] of points) {
        const names = new Set(Array.from(written, fold));
        const known = watched.get(folder);
        isNew ||= known === undefined || [...names].some((name) => !known.names.has(name));
        if (known === undefined) {
          try {
            watched.set(folder, open(folder, names));
          } catch {
            // Its list of names is not ours to read, or the system watches no more.
            failed.push(folder);
          }
        } else known.names = names;
      }
      unwatched = failed.filter((folder) => existsSync(folder));
      return isNew;
    },
    close() {
      for (const entry of watched.values()) entry.close();
      watched.clear();
    },
  };
}

// Systems disagree about cases and accents of one name. One hint too many costs a look.
function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

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
