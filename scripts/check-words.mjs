// Fails when a name or a page uses a word that docs/reference/glossary.md rules out: its table "Words that are not used" says which, what to say
// instead, and where it looks. Names are identifiers of code and names of files, taken apart where a capital or a dash begins a word.
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { reportProblems } from "./report-problems.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";

const glossary = "docs/reference/glossary.md";
const [, table = ""] = readFileSync(glossary, "utf8").split(/^## Words that are not used$/m);
const rules = [...table.matchAll(/^\| ([a-z, ]+) \| (.+?) \| (names|pages|names and pages) \|/gm)].map(
  ([, words = "", instead = "", where = ""]) => ({ words: words.split(", "), instead, where }),
);

/** @type {string[]} */
const problems = [];
let looked = 0;

for (const file of readTrackedFiles("*.ts", "*.mjs")) {
  checkName(file, file);
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  const names = new Set();
  new Visitor({ Identifier: ({ name }) => void names.add(name) }).visit(program);
  for (const name of names) checkName(file, name);
}
for (const file of readTrackedFiles("*.md", `:!${glossary}`, ":!.changeset", ":!*CHANGELOG.md")) {
  const prose = readFileSync(file, "utf8").replaceAll(/^(```+|~~~+).*?^\1|`[^`\n]*`|\]\([^)]*\)/gms, "");
  for (const { word, instead } of problemsIn("pages", prose)) problems.push(`${file}: "${word}"; say ${instead}`);
}
if (rules.length === 0) problems.push(`${glossary}: its table of words that are not used is gone`);
reportProblems(problems, { count: looked, noun: "names and pages" });

/** @param {string} file @param {string} name */
function checkName(file, name) {
  const inName = name === file ? "" : ` in ${name}`;
  for (const problem of problemsIn("names", name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2"))) {
    problems.push(`${file}: "${problem.word}"${inName}; say ${problem.instead}`);
  }
}

/**
 * The words of a text that its place may not have.
 * @param {"names" | "pages"} place
 * @param {string} text
 */
function problemsIn(place, text) {
  looked++;
  const words = new Set(text.toLowerCase().split(/[^a-z]+/));
  return rules
    .filter(({ where }) => where.includes(place))
    .flatMap((rule) => rule.words.filter((one) => words.has(one)).map((word) => ({ word, instead: rule.instead })));
}
