// docs/parity.md says by id what the systems ask for whose place Hostside takes, and which tests show it. docs/parity.json has the
// sentences, the names of tests have the ids, and this makes the page of both with `--write` (`pnpm parity`). Without it, it fails when the page is another one, when a test names an id that has no sentence, and when an id stands anywhere else:
// in a comment or another page it would tell a reader nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { reportProblems } from "./report-problems.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";
import { readJson } from "./workspace.mjs";

const page = "docs/parity.md";
const data = "docs/parity.json";
const idPattern = /\b(?:AD|AF|AN|EV|NX)-\d+[ab]?\b/g;
/** Files whose strings name tests; suites that others run are among them. */
const testFile = /(?:\.(?:test|proof)\.ts|(?:^|\/)test\/.*\.ts)$|^conformance\/src\/contracts\//;

/** @typedef {{ file: string, name: string }} Citation */

/** @type {Record<string, string>} */
const sentences = readJson(data);
const ids = Object.keys(sentences);
/** @type {Map<string, Citation[]>} */
const citations = new Map();
/** @type {string[]} */
const problems = [];

for (const file of readTrackedFiles("*.ts", "*.mjs", ":!scripts/check-parity.mjs", ":!test/check-parity.test.ts"))
  readCode(file);
for (const file of readTrackedFiles("*.md", `:!${page}`, ":!*CHANGELOG.md")) {
  for (const [id] of readFileSync(file, "utf8").matchAll(idPattern))
    problems.push(`${file}: ${id} belongs into ${data} alone`);
}

const text = writePage();
if (process.argv.includes("--write")) writeFileSync(page, text);
else if (readFileSync(page, "utf8") !== text) problems.push(`${page} is out of date: pnpm parity`);
reportProblems(problems, { count: citations.size, noun: "requirements that tests show" });

/** @param {string} file */
function readCode(file) {
  const source = readFileSync(file, "utf8");
  if (source.search(idPattern) === -1) return;
  const { program, comments } = parseSync(file, source);
  for (const { start, value } of comments) {
    for (const [id] of value.matchAll(idPattern)) {
      const line = source.slice(0, start).split("\n").length;
      problems.push(`${file}:${line}: ${id} tells a reader nothing; say what it asks for`);
    }
  }
  /** @param {string} name */
  const cite = (name) => {
    for (const id of idsOf(name)) {
      if (!testFile.test(file)) problems.push(`${file}: ${id} stands in a text that names no test`);
      else if (!Object.hasOwn(sentences, id)) problems.push(`${file}: ${id} has no sentence in ${data}`);
      else citations.set(id, [...(citations.get(id) ?? []), { file, name }]);
    }
  };
  new Visitor({
    Literal: ({ value }) => void (typeof value === "string" && cite(value)),
    TemplateLiteral: ({ quasis }) => cite(quasis.map(({ value }) => value.cooked ?? "").join("…")),
  }).visit(program);
}

/**
 * The ids that a name has, those between the two ends of `AN-41 to AN-50` as well.
 * @param {string} name
 */
function idsOf(name) {
  const found = new Set(name.match(idPattern) ?? []);
  for (const [, from = "", to = ""] of name.matchAll(/\b([A-Z]{2}-\d+) to ([A-Z]{2}-\d+)\b/g)) {
    const between = ids.slice(ids.indexOf(from), ids.indexOf(to) + 1);
    for (const id of between) found.add(id);
  }
  return found;
}

function writePage() {
  const shown = ids.filter((id) => citations.has(id));
  const rest = ids.filter((id) => !citations.has(id));
  return [
    "# Parity",
    "",
    "Hostside takes the place of the MCP layers of five systems. What they do, or should, is kept as a list of requirements, each with an id",
    "whose letters stand for its system. A test that shows one has the id in its name; this page has the id, what it asks for, and those tests.",
    "",
    "Made by `pnpm parity` from `docs/parity.json` and the names of the tests; `pnpm check parity` keeps it true.",
    "",
    `## Shown by tests: ${shown.length} of ${ids.length}`,
    ...shown.flatMap((id) => ["", `**${id}** ${sentences[id]}`, "", ...citationsOf(id)]),
    "",
    `## Not shown by a test yet: ${rest.length}`,
    "",
    ...rest.map((id) => `- **${id}** ${sentences[id]}`),
    "",
  ].join("\n");
}

/** @param {string} id */
function citationsOf(id) {
  const lines = (citations.get(id) ?? []).map(({ file, name }) => {
    const title = name.replaceAll(/\s+/g, " ").replaceAll("`", "'").trim();
    return `- [${file}](../${file}): \`${title}\``;
  });
  return [...new Set(lines)].toSorted();
}
