// Writes a package's JavaScript: one file for each entry that its package.json names, and one for what several of them share. A
// runtime opens a few files quickly and a hundred slowly, and what loads slowly is loaded at every start of every product. The
// compiler writes the types, file by file. Run in the folder of the package. The kept tool for this, tsdown, needs Node 22.
import { build } from "esbuild";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

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
  if (/\.js(\.map)?$/.test(file)) rmSync(join("dist", file));
}
await build({
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
  sourcemap: true,
  // The sources are published beside it.
  sourcesContent: false,
});
