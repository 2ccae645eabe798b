import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPnpm } from "./run-pnpm.mjs";
import { readPublicPackages } from "./workspace.mjs";

/**
 * Builds and packs every published package, exactly as a release would: pnpm puts real versions in place of `workspace:` and
 * `catalog:`.
 * @returns {{ folder: string, packed: PackedPackage[] }} A new folder outside the repository, which the caller removes, and what is in it.
 *
 * @typedef {object} PackedPackage
 * @property {string} name
 * @property {string} version
 * @property {string} tarball
 * @property {string[]} entries The specifiers that code can be imported from.
 * @property {{ peer: string, path: string }[]} peers The packages that it is used with, and where this repository has them.
 */
export function packPackages() {
  const published = readPublicPackages();
  runPnpm(["run", "build"]);
  const folder = mkdtempSync(join(tmpdir(), "hostside-pack-"));
  runPnpm([
    ...published.flatMap(({ manifest }) => ["--filter", manifest.name]),
    "--recursive",
    "pack",
    "--pack-destination",
    folder,
  ]);
  const files = readdirSync(folder);
  const packed = published.map(({ folder: source, manifest }) => {
    const { name, version, exports = {}, peerDependencies = {} } = manifest;
    const peers = Object.keys(peerDependencies).map((peer) => ({ peer, path: join(source, "node_modules", peer) }));
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    if (!files.includes(file)) throw new Error(`pnpm packed no ${file}; it packed ${files.join(", ")}`);
    // An entry that is named after a peer, such as `./msw`, works for those who have it.
    const isOurs = (/** @type {string} */ path) => !path.endsWith(".json") && !(path.slice(2) in peerDependencies);
    const entries = Object.keys(exports).filter(isOurs);
    return {
      name,
      version,
      peers,
      tarball: join(folder, file),
      entries: entries.map((path) => `${name}${path.slice(1)}`),
    };
  });
  return { folder, packed };
}
