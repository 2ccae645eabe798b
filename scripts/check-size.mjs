// Fails when the repository has grown beyond budget.json: code, files, public names, options, circles of folders, or prose that is
// hard to read. `node scripts/check-size.mjs --write` lowers the budget to today's values; only a person raises it.
import { existsSync, writeFileSync } from "node:fs";
import { measureSize } from "./measure-size.mjs";
import { reportProblems } from "./report-problems.mjs";
import { readJson } from "./workspace.mjs";

/** @typedef {import("./measure-size.mjs").Measure} Measure */

const budgetFile = "budget.json";
const command = "node scripts/check-size.mjs --write";
const isWriting = process.argv.includes("--write");

const { measures, fileCount } = measureSize();
/** @type {Record<string, Measure>} */
const budget = existsSync(budgetFile) ? readJson(budgetFile) : {};
/** @type {string[]} */
const problems = [];

for (const [name, measure] of Object.entries(measures)) {
  const limit = budget[name];
  if (limit === undefined) {
    if (!isWriting) problems.push(`${budgetFile}: has no ${name}; \`${command}\` adds it`);
  } else if (measure.total > limit.total) {
    problems.push(
      `${name}: ${measure.total}, ${difference(measure.total, limit.total)} over the budget${whereGrown(measure, limit)}`,
    );
  } else if (measure.total < limit.total && !isWriting) {
    console.log(`${name}: ${measure.total}, below the budget of ${limit.total}; \`${command}\` lowers it`);
  }
}
if (isWriting && problems.length === 0) writeFileSync(budgetFile, `${JSON.stringify(measures, null, 2)}\n`);
reportProblems(problems, { count: fileCount, noun: "files of code" });

/** @param {Measure} measure @param {Measure} limit */
function whereGrown(measure, limit) {
  const grown = Object.entries(measure.packages ?? {})
    .map(([name, value]) => ({ name, value, before: limit.packages?.[name] ?? 0 }))
    .filter(({ value, before }) => value > before)
    .map(({ name, value, before }) => `${name} +${difference(value, before)}`);
  return grown.length === 0 ? "" : `: ${grown.join(", ")}`;
}

/**
 * Subtracts values of one decimal.
 * @param {number} value
 * @param {number} before
 */
function difference(value, before) {
  return Math.round(10 * (value - before)) / 10;
}
