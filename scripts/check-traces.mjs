// Fails when a file tells where it was made: the home or work folder of somebody's machine, the host of a package registry (a
// lockfile or an .npmrc that pins one breaks installs elsewhere), or a key that should be nowhere. Whoever clones this repository
// has another machine and perhaps another registry.
import { readFileSync } from "node:fs";
import { reportProblems } from "./report-problems.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";

/** @type {[what: string, pattern: RegExp][]} */
const traces = [
  // "user" and "me" are nobody: placeholders of documentation and tests.
  ["an absolute path of one machine", /(?<![\w.:~-])\/(?:home|root|Users|work)\/(?!(?:user|me)\b)[\w.-]+/],
  ["an absolute path of one machine", /\b[A-Z]:\\Users\\\w+/],
  [
    "the host of a package registry",
    /\bhttps?:\/\/[^\s/"'`]*(?:registry|artifactory|nexus|verdaccio|npmmirror)[^\s/"'`]*/i,
  ],
  ["a lockfile entry that names a host", /^\s+(?:resolution:.*)?\btarball: https?:/],
  // With what follows it: the name of the format is none.
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n)?(?:\s*$|[A-Za-z\d+/]{40})/],
  ["a token of a registry or a code host", /\b(?:npm_[A-Za-z\d]{36}|gh[pousr]_[A-Za-z\d]{36})\b/],
];

// What published servers say, and what users ask, word for word: the folders in their examples are nobody's.
const quoted = /^bench\/data\/search\/(?:listed\/|queries-)/;

/** @type {string[]} */
const problems = [];
const files = readTrackedFiles();
for (const file of files) {
  const text = readFileSync(file, "utf8");
  if (text.includes("\0")) continue;
  for (const [index, line] of text.split("\n").entries()) {
    for (const [what, pattern] of traces) {
      if (what === "an absolute path of one machine" && quoted.test(file)) continue;
      const found = pattern.exec(line);
      if (found !== null) problems.push(`${file}:${index + 1}: ${what}: ${found[0].trim()}`);
    }
  }
}
reportProblems(problems, { count: files.length, noun: "files" });
