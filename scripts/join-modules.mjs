// Writes a package's JavaScript: one file for each entry that its package.json names, and some for what several of them share. A package
// with one export loads its other entries itself, and has one file for all that they share. A runtime opens a few files quickly and a hundred slowly, and what loads slowly is loaded at every start of every product. The
// compiler writes the types, file by file. Run in the folder of the package. The kept tool for this, tsdown, needs Node 22.
import { build } from "esbuild";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const { exports: exported, imports: internal = {} } = JSON.parse(readFileSync("package.json", "utf8"));

/**
 * Every path in a map of conditions.
 * @param {unknown} conditions
 * @returns {readonly string[]}
 */
function filesOf(conditions) {
  if (typeof conditions === "string") return [conditions];
  return Object.values(/** @type {object} */ (conditions)).flatMap(filesOf);
}

const entries = filesOf([exported, internal].map(Object.values))
  .filter((file) => /^\.\/dist\/.*\.js$/.test(file))
  .map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts"));

for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (/\.(?:js|map)$/.test(file)) rmSync(join("dist", file));
}
/** @type {import("esbuild").BuildOptions & { readonly metafile: true }} */
const options = {
  entryPoints: Array.from(new Set(entries)),
  outbase: "src",
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2023",
  packages: "external",
  // Decided by the conditions of whoever imports the package.
  external: Object.keys(internal),
  metafile: true,
};

/**
 * Names every shared module in every entry, so that all of them are shared by the same entries: esbuild makes a file for each set of entries
 * that share something.
 * @param {readonly string[]} shared
 * @returns {import("esbuild").Plugin}
 */
function sharedByAll(shared) {
  const lines = shared.map((file) => `import ${JSON.stringify(resolve(file))};`).join(" ");
  const places = new Set(entries.map((file) => resolve(file)));
  return {
    name: "shared-by-all",
    setup(run) {
      run.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        // On the first line, so that source maps stay true.
        places.has(path) ? { contents: `${lines} ${readFileSync(path, "utf8")}`, loader: "ts" } : undefined,
      );
    },
  };
}

const isWhole = filesOf(Object.values(exported)).filter((file) => file.endsWith(".js")).length === 1;
if (isWhole && entries.length > 1) {
  const { metafile } = await build({ ...options, write: false });
  const chunks = Object.entries(metafile.outputs).filter(([file]) => /^dist\/chunks\/.*\.js$/.test(file));
  const shared = chunks.flatMap(([, { inputs }]) => Object.keys(inputs));
  // Nothing happens at import, so that to import a module for its effects alone is to say nothing but its name.
  const silent = { logOverride: { "ignored-bare-import": /** @type {const} */ ("silent") } };
  await build({ ...options, ...silent, plugins: [sharedByAll(shared)] });
} else await build(options);
