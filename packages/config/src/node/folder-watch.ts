import { existsSync, watch } from "node:fs";
import type { WatchPoints } from "./watch-points.ts";

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
