// Fails when a published package would not install, resolve or type-check well: publint and attw judge the packed tarballs, not the
// folders, because only a tarball shows what a user gets.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { packPackages } from "./pack-packages.mjs";
import { reportProblems } from "./report-problems.mjs";

/** @type {(tarball: string) => string[][]} */
const judges = (tarball) => [
  ["publint", "run", tarball, "--strict"],
  // ESM only: Node 20.19 and later can `require` ES modules, so the answers for older resolution modes do not matter.
  ["attw", tarball, "--profile", "esm-only", "--no-definitely-typed", "--format", "ascii"],
];

/** @type {string[]} */
const problems = [];
const { folder, packed } = packPackages();
try {
  for (const { name, tarball } of packed) {
    for (const [judge = "", ...args] of judges(tarball)) {
      const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${judge}`, args, { encoding: "utf8" });
      if (status !== 0) problems.push(`${judge} on ${name}:\n${stdout}${stderr}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
reportProblems(problems, { count: packed.length, noun: "tarballs" });
