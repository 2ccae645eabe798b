// Fails when a public name has no documentation: every name that an entry point of a published package exports needs a JSDoc block
// at its declaration. `export *` is refused, because it publishes names that nobody chose.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { reportProblems } from "./report-problems.mjs";
import { readPublicPackages } from "./workspace.mjs";

/** @typedef {{ file: string, program: import("oxc-parser").Program, comments: import("oxc-parser").Comment[], text: string }} Source */

/** @type {string[]} */
const problems = [];
/** @type {Map<string, Source>} */
const sources = new Map();
let names = 0;

for (const { folder, manifest } of readPublicPackages()) {
  for (const entry of entriesOf(manifest)) checkEntry(join(folder, entry));
}
reportProblems(problems, { count: names, noun: "public names" });

/** @param {import("./workspace.mjs").Manifest} manifest The TypeScript behind the export map. */
function entriesOf(manifest) {
  return Object.values(manifest.exports ?? {})
    .map((target) => /** @type {Record<string, unknown>} */ (target)["@hostside/source"])
    .filter((path) => typeof path === "string");
}

/** @param {string} file */
function checkEntry(file) {
  for (const statement of readSource(file).program.body) {
    if (statement.type === "ExportAllDeclaration") problems.push(`${file}: export * publishes names that nobody chose`);
    if (statement.type !== "ExportNamedDeclaration") continue;
    for (const name of [
      ...declaredNames(statement.declaration),
      ...statement.specifiers.map((one) => textOf(one.local)),
    ]) {
      names++;
      const from = statement.source === null ? file : join(dirname(file), statement.source.value);
      if (!isDocumented(from, name)) problems.push(`${from}: ${name} is public and has no JSDoc`);
    }
  }
}

/**
 * Whether the declaration of `name` follows a JSDoc block; re-exports are followed.
 * @param {string} file
 * @param {string} name
 * @returns {boolean}
 */
function isDocumented(file, name) {
  // Types of another package are documented there.
  if (!file.endsWith(".ts")) return true;
  const source = readSource(file);
  for (const statement of source.program.body) {
    const exported = statement.type === "ExportNamedDeclaration";
    const declaration = exported ? statement.declaration : statement;
    if (declaredNames(declaration).includes(name)) return followsJsDoc(source, statement.start);
    const specifier = exported ? statement.specifiers.find((one) => textOf(one.exported) === name) : undefined;
    if (exported && specifier !== undefined && statement.source !== null) {
      return isDocumented(join(dirname(file), statement.source.value), textOf(specifier.local));
    }
  }
  return false;
}

/** @param {Source} source @param {number} start */
function followsJsDoc(source, start) {
  const block = source.comments.findLast((comment) => comment.end <= start);
  if (block === undefined || block.type !== "Block" || !block.value.startsWith("*")) return false;
  return source.text.slice(block.end, start).trim() === "" && /\w/.test(block.value);
}

/**
 * @param {unknown} declaration
 * @returns {string[]}
 */
function declaredNames(declaration) {
  const node = /** @type {{ id?: { name?: string }, declarations?: { id: { name?: string } }[] } | null} */ (
    declaration
  );
  const ids = [node?.id, ...(node?.declarations ?? []).map((one) => one.id)];
  return ids.flatMap((id) => (typeof id?.name === "string" ? [id.name] : []));
}

/** @param {import("oxc-parser").ModuleExportName} name */
function textOf(name) {
  return name.type === "Literal" ? name.value : name.name;
}

/** @param {string} file @returns {Source} */
function readSource(file) {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const source = { file, program, comments, text };
  sources.set(file, source);
  return source;
}
