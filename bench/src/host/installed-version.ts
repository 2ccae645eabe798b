import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The version of a package as this folder resolves it: the nearest package.json above its entry
 * that has the package's name.
 */
export function installedVersion(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.resolve(name)));
  for (;;) {
    const version = versionIn(folder, name);
    if (version !== undefined) return version;
    const parent = dirname(folder);
    if (parent === folder) throw new TypeError(`no package.json of ${name} found`);
    folder = parent;
  }
}

function versionIn(folder: string, name: string): string | undefined {
  try {
    // Not imported, which would count as a part of each contender's import.
    const { readFileSync } = process.getBuiltinModule("node:fs");
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      name?: string;
      version?: string;
    };
    return manifest.name === name ? manifest.version : undefined;
  } catch {
    // No package.json here: look one folder up.
    return undefined;
  }
}
