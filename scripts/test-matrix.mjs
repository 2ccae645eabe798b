// Runs the suite on other versions of Node than the one that is installed, each fetched from npm: `pnpm test:matrix`, or
// `pnpm test:matrix 24 packages/auth` for one of them and a part of the tests; a file that ends in `.proof.ts` is run as a proof. Servers that tests start run on
// the same version, because tests start them with process.execPath.
import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";

const given = process.argv.slice(2);
const chosen = given.filter((argument) => /^\d+$/.test(argument));
const versions = chosen.length > 0 ? chosen : ["22", "24"];
const proofs = given.filter((argument) => argument.endsWith(".proof.ts"));
const parts = given.filter((argument) => !chosen.includes(argument) && !proofs.includes(argument));
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json"];
const runs = [
  ...(parts.length > 0 || proofs.length === 0 ? [{ name: "", args: parts }] : []),
  ...(proofs.length > 0 ? [{ name: "-proofs", args: ["-c", "vitest.proof.config.ts", ...proofs] }] : []),
];

/** @type {string[]} */
const failed = [];
for (const version of versions) {
  // Found first and run by its path: what runs within `npx -p` has settings of npm that break each `npx` of a test.
  const find = ["-y", "-p", `node@${version}`, "node", "-p", "process.execPath"];
  const node = spawnSync("npx", find, { encoding: "utf8", shell: process.platform === "win32" }).stdout.trim();
  for (const { name, args } of runs) {
    console.log(`\nthe ${name === "" ? "suite" : "proofs"} on Node ${version}`);
    const report = `--outputFile.json=.ci/report-node-${version}${name}.json`;
    const { status } = spawnSync(node, [...vitest, report, ...args], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"]}` },
    });
    if (status !== 0) failed.push(version);
  }
}
if (failed.length > 0) console.error(`failed on Node ${[...new Set(failed)].join(" and ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;
