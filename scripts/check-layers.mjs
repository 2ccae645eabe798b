// Fails when a package imports something that its layer may not. layers.json is the whole rule: a package, or a folder or file of
// one, and what its sources may import. A narrower row adds to the wider ones. `node:*` stands for every Node built-in. A package may
// always import its own files and its own `#imports`; nobody reaches into another package's files. Tests are exempt.
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { reportProblems } from "./report-problems.mjs";
import { readJson, readSources, readWorkspace } from "./workspace.mjs";

/** @type {Record<string, string[]>} */
const layers = readJson("layers.json");
/** @type {string[]} */
const problems = [];
let files = 0;

for (const { folder, manifest } of readWorkspace()) {
  const allowed = layers[manifest.name];
  if (allowed === undefined) {
    // What nobody can install has no layer: the demo and the benchmark stand on top of everything.
    if (manifest.private !== true) problems.push(`${folder}: ${manifest.name} has no row in layers.json`);
    continue;
  }
  checkDependencies(folder, manifest, rowsBelow(manifest.name));
  for (const file of readSources(folder)) {
    files++;
    checkFile(file, folder, manifest.name);
  }
}
checkOrder();
reportProblems(problems, { count: files, noun: "source files" });

/**
 * Every import of a file, in any of its forms.
 * @param {string} file
 * @param {string} folder
 * @param {string} name
 */
function checkFile(file, folder, name) {
  const allowed = rowsAbove(`${name}/${relative(folder, file)}`);
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith("#")) continue;
    if (specifier.startsWith(".")) {
      const leaves = relative(join(folder, "src"), join(dirname(file), specifier)).startsWith("..");
      if (leaves) problems.push(`${file}: "${specifier}" leaves the package's src`);
      continue;
    }
    const target = targetOf(specifier);
    if (target !== name && !allowed.includes(target)) problems.push(`${file}: ${name} may not import ${specifier}`);
  }
}

/**
 * Dependencies that the manifest declares must be in the rule as well, also when no source uses them yet.
 * @param {string} folder
 * @param {import("./workspace.mjs").Manifest} manifest
 * @param {string[]} allowed
 */
function checkDependencies(folder, manifest, allowed) {
  for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (!allowed.includes(dependency)) problems.push(`${folder}/package.json: may not depend on ${dependency}`);
  }
}

/** The rule itself must be an order: no two packages may import each other, directly or on a detour. */
function checkOrder() {
  /** @param {string} name @param {string[]} path */
  const visit = (name, path) => {
    if (path.includes(name)) return void problems.push(`layers.json: a circle, ${[...path, name].join(" -> ")}`);
    for (const target of layers[name] ?? []) visit(target, [...path, name]);
  };
  for (const name of Object.keys(layers)) visit(name, []);
}

/** @param {string} path The rows of a file and of all that it is in. */
function rowsAbove(path) {
  return Object.entries(layers).flatMap(([row, allowed]) => (`${path}/`.startsWith(`${row}/`) ? allowed : []));
}

/** @param {string} name The rows of a package and of all its folders. */
function rowsBelow(name) {
  return Object.entries(layers).flatMap(([row, allowed]) => (`${row}/`.startsWith(`${name}/`) ? allowed : []));
}

/** @param {string} specifier What the rule calls the thing that is imported. */
function targetOf(specifier) {
  if (isBuiltin(specifier)) return "node:*";
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * @param {string} file
 * @returns {string[]} The specifiers of `import`, `import type`, `export from`, `import()`, `import x = require()` and import types.
 */
function importsOf(file) {
  const { program, errors } = parseSync(file, readFileSync(file, "utf8"));
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  /** @type {string[]} */
  const found = [];
  /** @param {{ source?: unknown, expression?: unknown }} node */
  const add = (node) => {
    const source = /** @type {{ type?: string, value?: unknown } | null | undefined} */ (
      node.source ?? node.expression
    );
    if (source === undefined || source === null) return;
    // A computed specifier cannot be judged; `layers.json` names the files that have one all the same.
    found.push(source.type === "Literal" ? String(source.value) : "<computed>");
  };
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
    TSExternalModuleReference: add,
  }).visit(program);
  return found;
}
