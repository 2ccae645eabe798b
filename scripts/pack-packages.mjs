import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPnpm } from "./run-pnpm.mjs";
import { readPublicPackages } from "./workspace.mjs";

/**
 * Builds and packs every published package, exactly as a release would: pnpm puts real versions in place of `workspace:` and
 * `catalog:`.
 * @returns {{ folder: string, packed: { name: string, version: string, tarball: string, entries: string[] }[] }} A new folder outside
 *   the repository, which the caller removes, and what is in it; `entries` are the specifiers that code can be imported from.
 */
export function packPackages() {
  const published = readPublicPackages().map(({ manifest }) => manifest);
  runPnpm(["run", "build"]);
  const folder = mkdtempSync(join(tmpdir(), "toolport-pack-"));
  runPnpm([
    ...published.flatMap(({ name }) => ["--filter", name]),
    "--recursive",
    "pack",
    "--pack-destination",
    folder,
  ]);
  const files = readdirSync(folder);
  const packed = published.map(({ name, version, exports = {}, peerDependencies = {} }) => {
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    if (!files.includes(file)) throw new Error(`pnpm packed no ${file}; it packed ${files.join(", ")}`);
    // An entry that is named after a peer, such as `./msw`, works for those who have it.
    const isOurs = (/** @type {string} */ path) => !path.endsWith(".json") && !(path.slice(2) in peerDependencies);
    const entries = Object.keys(exports).filter(isOurs);
    return { name, version, tarball: join(folder, file), entries: entries.map((path) => `${name}${path.slice(1)}`) };
  });
  return { folder, packed };
}
