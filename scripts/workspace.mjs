// The packages of this repository, found by their manifests: every folder of packages/ and every folder of the root that has one.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Manifest What the scripts read of a package.json.
 * @property {string} name
 * @property {string} version
 * @property {boolean} [private]
 * @property {string} [description]
 * @property {string} [license]
 * @property {string} [type]
 * @property {string} [main]
 * @property {string} [types]
 * @property {{ directory?: string }} [repository]
 * @property {{ node?: string }} [engines]
 * @property {{ access?: string }} [publishConfig]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, unknown>} [exports]
 * @property {string[]} [files]
 *
 * @typedef {object} WorkspacePackage
 * @property {string} folder Relative to the root, such as `packages/core`.
 * @property {Manifest} manifest
 */

/**
 * All packages, in the order of their folders.
 * @param {string} [root]
 * @returns {WorkspacePackage[]}
 */
export function readWorkspace(root = ".") {
  return ["", "packages"]
    .flatMap((parent) => readFolders(join(root, parent)).map((name) => join(parent, name)))
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readJson(join(root, folder, "package.json")) }));
}

/**
 * Those that are published.
 * @param {string} [root]
 */
export function readPublicPackages(root = ".") {
  return readWorkspace(root).filter(({ manifest }) => manifest.private !== true);
}

/**
 * The sources of a package that its users run: TypeScript under src, without tests.
 * @param {string} folder
 * @returns {string[]} Paths that start with `folder`.
 */
export function readSources(folder) {
  const src = join(folder, "src");
  if (!existsSync(src)) return [];
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.[cm]?tsx?$/.test(path) && !/\.(test|test-d)\.ts$/.test(path))
    .map((path) => join(src, path))
    .toSorted();
}

/**
 * @param {string} path
 * @returns {any} JSON files are read field by field; each script says what it expects of them.
 */
export function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** @param {string} path */
function readFolders(path) {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .toSorted();
}
