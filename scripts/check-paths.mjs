// Fails when a page or a comment mentions a file of this repository that is not there: `packages/…` and its like between backticks in
// Markdown, `link/link.ts` and its like in docs/, and docs/*.md in the comments of code. Links of Markdown are remark's (`pnpm check links`).
import { existsSync, readFileSync } from "node:fs";
import { reportProblems } from "./report-problems.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";

const mentions = {
  page: /`((?:packages|fixtures|conformance|bench|examples|docs|scripts|test)\/[\w./-]+)`/g,
  code: /[`(\s](docs\/[\w./-]+\.md)/g,
};

// A file that a page of docs/ names by the end of its path. A decision may name one that is gone, and a task has files of the reader.
const shortMention = /`((?:[a-z][\w-]*\/)*[a-z][\w-]*\.(?:ts|mjs))`/g;

/** @type {string[]} */
const problems = [];
let paths = 0;

/** @param {string} file @param {RegExp} mention @param {string} text */
function check(file, mention, text) {
  for (const [, path = ""] of text.matchAll(mention)) {
    paths++;
    if (!existsSync(path)) problems.push(`${file}: ${path} is not there`);
  }
}

for (const file of readTrackedFiles("*.md", ":!*CHANGELOG.md")) {
  // What looks like a path inside of a block of code is somebody else's.
  check(file, mentions.page, readFileSync(file, "utf8").replace(/^(```+|~~~+).*?^\1/gms, ""));
}
const code = readTrackedFiles("*.ts", "*.mjs");
const ofTheReader = [":!docs/start", ":!docs/how-to", ":!docs/migrate", ":!docs/internals/decisions"];
for (const file of readTrackedFiles("docs/*.md", ...ofTheReader)) {
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(shortMention)) {
    paths++;
    if (!code.some((one) => `/${one}`.endsWith(`/${path}`))) problems.push(`${file}: there is no ${path}`);
  }
}
for (const file of readTrackedFiles("*.ts", "*.mjs", ":!*.test.ts"))
  check(file, mentions.code, readFileSync(file, "utf8"));
reportProblems(problems, { count: paths, noun: "paths" });
