// Makes layers.json, which says who may import whom, into rules for dependency-cruiser. Types count, tests do not.
import { dirname, join } from "node:path";
import { readJson, readSources, readWorkspace } from "./scripts/workspace.mjs";

/**
 * @typedef {object} Layers
 * @property {Record<string, string[]>} packages What the sources of a package may import beside its own files: packages, and `node:*`
 *   for everything of Node's. A row for a folder or file of a package, such as `@hostside/x/src/y`, adds to the wider ones.
 * @property {Record<string, string[][]>} folders For a package's `src`, or a folder of it: its folders in layers, the lowest first. A file
 *   may import those of its own folder and of lower layers; folders of one layer do not meet. What lies in `src` itself is above all,
 *   unless a layer has `.`.
 */

/** @type {Layers} */
const layers = readJson("layers.json");
const workspace = readWorkspace();
const folderOf = new Map(workspace.map(({ folder, manifest }) => [manifest.name, folder]));

for (const { folder, manifest } of workspace) {
  // What nobody can install has no layer: the examples and the benchmark stand on top of everything.
  const isMissing = manifest.private !== true && layers.packages[manifest.name] === undefined;
  if (isMissing) throw new Error(`${folder}: ${manifest.name} has no row in layers.json`);
}

if (workspace.every(({ folder }) => readSources(folder).length === 0))
  throw new Error("no sources: nothing to look at");

const forbidden = [
  ...Object.keys(layers.packages).flatMap(rulesForRow),
  ...Object.keys(layers.folders).flatMap(rulesForFolders),
];

/** @type {import("dependency-cruiser").IConfiguration} */
const configuration = {
  forbidden,
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: ["node_modules"] },
    exclude: { path: [String.raw`\.(test|test-d|proof)\.ts$`, "^(?!.*node_modules/).*/dist/"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@hostside/source", "types", "node", "import", "default"],
      extensions: [".ts", ".mjs", ".js", ".d.ts"],
    },
  },
};
export default configuration;

/**
 * @param {string} row A package, or a folder or file of one.
 * @returns {import("dependency-cruiser").IForbiddenRuleType[]}
 */
function rulesForRow(row) {
  const name = row.split("/", row.startsWith("@") ? 2 : 1).join("/");
  const folder = folderOf.get(name) ?? "";
  const from = join(folder, row === name ? "src" : row.slice(name.length + 1));
  if (folder === "") throw new Error(`layers.json: there is no package ${name}`);
  const inner = Object.keys(layers.packages).filter((other) => other.startsWith(`${row}/`));
  const allowed = Object.entries(layers.packages).flatMap(([other, list]) =>
    `${row}/`.startsWith(`${other}/`) ? list : [],
  );
  const source = {
    path: inPath(from),
    pathNot: inner.map((other) => inPath(join(folder, other.slice(name.length + 1)))),
  };
  return [
    {
      name: `${row} may not import this`,
      severity: "error",
      from: source,
      to: {
        pathNot: [inPath(join(folder, "src")), ...allowed.flatMap(pathsOf)],
        ...(allowed.includes("node:*") && { dependencyTypesNot: ["core"] }),
      },
    },
    {
      name: "nobody reaches into the files of another package",
      severity: "error",
      from: source,
      to: { pathNot: inPath(join(folder, "src")), dependencyTypes: ["local"] },
    },
  ];
}

/** @param {string} target What a package may import. */
function pathsOf(target) {
  if (target === "node:*") return [];
  const folder = folderOf.get(target);
  const installed = `(^|/node_modules/)(@types/)?${literally(target)}(/|$)`;
  return folder === undefined ? [installed] : [installed, inPath(join(folder, "src"))];
}

/**
 * @param {string} src
 * @returns {import("dependency-cruiser").IForbiddenRuleType[]}
 */
function rulesForFolders(src) {
  const order = layers.folders[src] ?? [];
  const listed = [src, ...order.flat().map((folder) => join(src, folder))];
  const sources = readSources(src.slice(0, src.indexOf("/src"))).filter((file) => file.startsWith(`${src}/`));
  for (const folder of new Set(sources.map((file) => dirname(file)))) {
    if (!listed.includes(folder)) throw new Error(`layers.json: ${folder} has no layer`);
  }
  return order.flatMap((layer, height) =>
    layer.map((folder) => ({
      name: `${folder} is not above this`,
      severity: "error",
      from: { path: directlyIn(join(src, folder)) },
      to: {
        path: inPath(src),
        pathNot: [folder, ...order.slice(0, height).flat()].map((lower) => directlyIn(join(src, lower))),
      },
    })),
  );
}

/** @param {string} path */
function inPath(path) {
  return `^${literally(path)}(/|$)`;
}

/** @param {string} path */
function directlyIn(path) {
  return `^${literally(path)}/[^/]+$`;
}

/** @param {string} text */
function literally(text) {
  return text.replaceAll("\\", "/").replaceAll(/[.*+?^${}()|[\]]/g, String.raw`\$&`);
}
