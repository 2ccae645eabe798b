// Runs the suite on other versions of Node than the one that is installed, each fetched from npm: `pnpm test:matrix`, or
// `pnpm test:matrix 24` for one of them. Servers that tests start run on the same version, because tests start them with
// process.execPath.
import { spawnSync } from "node:child_process";

const versions = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24"];
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json"];

/** @type {string[]} */
const failed = [];
for (const version of versions) {
  console.log(`\nthe suite on Node ${version}`);
  const report = `--outputFile.json=.ci/report-node-${version}.json`;
  const { status } = spawnSync("npx", ["-y", "-p", `node@${version}`, "node", ...vitest, report], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) failed.push(version);
}
if (failed.length > 0) console.error(`failed on Node ${failed.join(" and ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;
