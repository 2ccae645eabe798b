import { join, resolve } from "node:path";
import { readText } from "./read-text.ts";
import { isWithin, realPathOf } from "./real-path.ts";

/** The contents of files that references name, each read once. */
export interface FileSource {
  /**
   * Relative to the folder of the configuration; `~/` is the user's folder. Rejects as `readText`
   * does, but for one that is not there.
   */
  read(path: string): Promise<string | undefined>;
  /** Where a path leads. */
  resolve(path: string): string;
}

/** Where relative paths begin, where links may lead, and what is kept of all that was read. */
export interface FileSourceInit {
  readonly folder: string;
  /**
   * A project's folder, without links: a path within it may not lead out of it. Default: any may.
   */
  readonly within?: string | undefined;
  readonly home: string;
  /**
   * By absolute path. What was looked at for a decision is what is used then, whatever is in the
   * file meanwhile.
   */
  readonly kept: Map<string, Promise<string | undefined>>;
}

/** Files as references of one configuration name them. */
export function createFileSource({ folder, within, home, kept }: FileSourceInit): FileSource {
  const locate = (path: string): string => (/^~[\\/]/.test(path) ? join(home, path.slice(2)) : resolve(folder, path));
  return {
    resolve: locate,
    async read(path) {
      const place = locate(path);
      if (within !== undefined && isWithin(within, place) && !isWithin(within, await realPathOf(place))) {
        throw Object.assign(new Error(path), { code: "it is a link that leads out of the project" });
      }
      const text = kept.get(place) ?? readIfThere(place);
      kept.set(place, text);
      return text;
    },
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
