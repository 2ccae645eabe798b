// Writes a package's JavaScript: one file for each entry that its package.json names, and some for what several of them share. A package
// with one export loads its other entries itself, and has one file for all that they share. A runtime opens a few files quickly and a hundred slowly, and what loads slowly is loaded at every start of every product. The
// compiler writes the types, file by file. Run in the folder of the package. The kept tool for this, tsdown, needs Node 22.
import { build } from "esbuild";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
 * Adds imports to files, so that a shared module is reached from more entries: esbuild makes a file for each set of entries that share
 * something. The imports leave nothing behind.
 * @param {ReadonlyMap<string, readonly string[]>} added
 * @returns {import("esbuild").Plugin}
 */
function importsToo(added) {
  const lines = new Map(
    Array.from(added, ([file, others]) => [
      resolve(file),
      others.map((other) => `import ${JSON.stringify(resolve(other))};`).join(" "),
    ]),
  );
  return {
    name: "imports-too",
    setup(run) {
      run.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const line = lines.get(path);
        return line === undefined ? undefined : { contents: `${line} ${readFileSync(path, "utf8")}`, loader: "ts" };
      });
    },
  };
}

/**
 * What a part that loads later finds loaded: the one file that loads it, or the file that alone imports that one, and so on up.
 * @param {import("esbuild").Metafile} metafile
 */
function loadersOfParts({ inputs }) {
  /** @type {Record<string, Map<string, string[]>>} */
  const importers = { "import-statement": new Map(), "dynamic-import": new Map() };
  for (const [file, { imports }] of Object.entries(inputs)) {
    for (const { path, kind, external } of imports) {
      const of = importers[kind];
      if (external !== true) of?.set(path, [...(of.get(path) ?? []), file]);
    }
  }
  /** @type {(file: string) => string} */
  const topOf = (file) => {
    const [only, ...others] = importers["import-statement"]?.get(file) ?? [];
    const isLoadedApart = entries.includes(file) || importers["dynamic-import"]?.has(file) === true;
    return only === undefined || others.length > 0 || isLoadedApart ? file : topOf(only);
  };
  const parts = Array.from(importers["dynamic-import"] ?? []);
  const ofOne = parts.filter(([part, { length }]) => length === 1 && importers["import-statement"]?.has(part) !== true);
  return new Map(ofOne.map(([part, loaders]) => [part, loaders.map(topOf)]));
}

const { metafile } = await build({ ...options, write: false });
const isWhole = filesOf(Object.values(exported)).filter((file) => file.endsWith(".js")).length === 1;
const chunks = Object.entries(metafile.outputs).filter(([file]) => /^dist\/chunks\/.*\.js$/.test(file));
const shared = chunks.flatMap(([, { inputs }]) => Object.keys(inputs));
const added = isWhole && entries.length > 1 ? new Map(entries.map((file) => [file, shared])) : loadersOfParts(metafile);
// Nothing happens at import, so that to import a module for its effects alone is to say nothing but its name.
const silent = { logOverride: { "ignored-bare-import": /** @type {const} */ ("silent") } };
const written = await build({ ...options, ...silent, plugins: [importsToo(added)] });
for (const file of Object.keys(written.metafile.outputs)) {
  const code = readFileSync(file, "utf8");
  const quiet = code.replace(/^import "\..*";\n/gm, "");
  if (quiet !== code) writeFileSync(file, quiet);
}
if ("./implement" in exported) await joinImplement();

/**
 * Puts all code into the entry for implementers, which whoever uses the other one loads as well: two files in place of three. The types
 * of each entry stay its own.
 */
async function joinImplement() {
  const { exports: names = [] } = metafile.outputs["dist/index.js"] ?? {};
  rmSync("dist/chunks", { recursive: true });
  const contents = ["index", "implement"].map((name) => `export * from "./src/${name}.ts";`).join("\n");
  const stdin = { contents, resolveDir: "." };
  const { outdir: _, entryPoints: __, ...rest } = options;
  await build({ ...rest, stdin, splitting: false, outfile: "dist/implement.js" });
  writeFileSync("dist/index.js", `export { ${names.join(", ")} } from "./implement.js";\n`);
}
