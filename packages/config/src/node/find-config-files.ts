import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { findConfigs, findProjectFolder, type ConfigLocation, type FindOptions } from "../find/find-configs.ts";
import { loadPlaceOf, type LoadPlace } from "./load-options.ts";
import { realPathOfSync } from "./resolve-paths.ts";

/** Where is looked. */
export type FindFilesOptions = Partial<LoadPlace>;

/**
 * The configurations that a user has, the stronger ones last: as `findConfigs`, and what is there.
 * A file that two names lead to is there once, as the user's own if it is. Never throws for what a
 * folder is like.
 */
export function findConfigFiles(options: FindFilesOptions = {}): readonly ConfigLocation[] {
  return locationsAt(loadPlaceOf(options)).filter(({ path }) => existsSync(path));
}

/** As {@linkcode findConfigFiles}, whether anything is there or not. */
export function locationsAt(place: LoadPlace): readonly ConfigLocation[] {
  const options = searchAt(place);
  const seen = new Set<string>();
  return findConfigs({ ...options, exists: (path) => !path.endsWith(".git") || existsSync(path) }).filter(
    ({ path }) => {
      const real = realPathOfSync(path);
      if (seen.has(real)) return false;
      seen.add(real);
      return true;
    },
  );
}

/** The folder of the project that a place is in. */
export function projectFolderAt(place: LoadPlace): string | undefined {
  return findProjectFolder(searchAt(place));
}

// The user's own folder is known by any of its names.
function searchAt({ cwd, home, env, platform }: LoadPlace): FindOptions {
  const real = realPathOfSync(home);
  const here = resolve(cwd);
  return { cwd: realPathOfSync(here) === real ? home : here, home, env, platform, exists: existsSync, list };
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not for us: nothing is to be found in it.
    return [];
  }
}
