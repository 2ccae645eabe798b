// The proofs that take too long for every `pnpm test`. Every step runs, also after one that failed; the exit code is non-zero if any
// did. The end has a line for each step, and the commands that repeat what failed. `pnpm proof official schedules` runs the named steps
// alone, `pnpm proof schedules 1000000` that many schedules.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { relative } from "node:path";
import { createInterface } from "node:readline";
import { readReport } from "./read-report.mjs";

const numbers = process.argv.slice(2).filter((argument) => /^[1-9]\d*$/.test(argument));
const [schedules = "25000"] = numbers;
const chosen = process.argv.slice(2).filter((argument) => !numbers.includes(argument));

/** @param {string} name @param {string[]} files */
const tests = (name, ...files) => [
  "node_modules/vitest/vitest.mjs",
  "run",
  "-c",
  "vitest.proof.config.ts",
  `--outputFile.json=${reportOf(name)}`,
  ...files,
];

/** @param {string[]} files Of the suite: other reporters would write its report anew. */
const moreCases = (...files) => [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--reporter=default",
  "--testTimeout=600000",
  ...files,
];

const mutations = [
  "conformance/test/mutants.proof.ts",
  "conformance/test/hosts",
  "packages/provider/test/simulation",
  "packages/policy/test/mutation.proof.ts",
  "packages/cluster/test/simulation",
  "packages/cluster/test/limits/mutation.proof.ts",
];

/**
 * A step that `waits` for deadlines most of its time runs beside those after it that are patient: that have none. A step that `isPartOf`
 * another one runs only by its name.
 * @typedef {{ readonly about: string, readonly args: readonly string[], readonly env?: Record<string, string>, readonly waits?: boolean, readonly isPatient?: boolean, readonly isPartOf?: string }} Step
 */

/** @type {Record<string, Step>} */
const steps = {
  auth: {
    about: "eight processes that share credentials, over each store: a thousand expiries, and kills",
    args: tests("auth", "packages/auth/test/processes"),
  },
  stores: {
    about:
      "all that every store of credentials holds to, limits, and eight processes that share state, over real databases",
    args: tests(
      "stores",
      "packages/auth/test/stores",
      "packages/cluster/test/limits/eight-replicas.proof.ts",
      "packages/cluster/test/limits/shared-limits.proof.ts",
      "packages/cluster/test/state",
      "examples/test/replicas",
    ),
  },
  dialogues: {
    about:
      "the wire beside the official SDK's clients, every fault that takes processes as a raw client sees it, and what unpacks to more",
    args: tests(
      "dialogues",
      "conformance/test/dialogues.proof.ts",
      "fixtures/test/faults.proof.ts",
      "packages/transports/test/bombs.proof.ts",
    ),
  },
  good: {
    about: "good servers and Hostside, which pass every check of the kit, and each line of the demo",
    args: tests("good", "conformance/test/golden-servers", "conformance/test/reference-hosts", "examples/test/demo"),
  },
  mutants: {
    about:
      "broken servers, broken hosts and deliberate bugs of provider, policy and cluster, each of which must be found",
    // What a broken program rejects for nobody is one of its failures, not the proof's.
    args: [...tests("mutants", ...mutations, "conformance/test/never-pass"), "--dangerouslyIgnoreUnhandledErrors"],
  },
  sample: {
    about: "every tenth of these bugs; all of them are in the step mutants",
    args: [...tests("sample", ...mutations), "--dangerouslyIgnoreUnhandledErrors"],
    env: { HOSTSIDE_SAMPLE: "1" },
    isPartOf: "mutants",
  },
  gateway: {
    about:
      "the gateway and `hostside serve`: its processes, and both by the kit's checks of a server, over stdio and HTTP, by the official suite's scenarios of one, and by hosts of others",
    args: tests("gateway", "packages/gateway/test", "packages/hostside/test/serving"),
  },
  browser: {
    about: "a user signs in with a real browser, for a host and for the kit",
    args: tests("browser", "packages/auth/test/end-to-end/browser.proof.ts", "conformance/test/browser.proof.ts"),
  },
  official: {
    about: "the official suite, every scenario of both eras and of the authorization extensions",
    args: tests("official", "conformance/test/official.proof.ts"),
    isPartOf: "busy",
  },
  busy: {
    about: "the official suite again, while all cores are busy",
    args: tests("busy", "conformance/test/official.proof.ts"),
    env: { HOSTSIDE_BUSY: "1" },
  },
  processes: {
    about: "secrets, hostile servers, and calls that run once, over 200 cases each, with real processes",
    args: moreCases(
      "packages/provider/test/processes/at-most-once.test.ts",
      "packages/provider/test/processes/hostile-servers.test.ts",
      "packages/provider/test/processes/secrets",
    ),
    env: { HOSTSIDE_RUNS: "200", HOSTSIDE_SCHEDULES: "1000" },
  },
  replay: {
    about: "every named fault that is no matter of chance, and random scripts of a server, recorded and played back",
    waits: true,
    args: tests("replay", "--maxConcurrency=12", "conformance/test/replay"),
  },
  properties: {
    isPatient: true,
    about: "properties of names, of what is denied or validated, and of pools, over 200 cases each",
    args: moreCases(
      "packages/naming/test",
      "packages/provider/test/one-decision.test.ts",
      "packages/cluster/test/simulation/any-schedule.test.ts",
      "packages/policy/test/denied-stays-denied.test.ts",
      "packages/policy/test/simulation.test.ts",
      "packages/policy/src/validation/schema/agrees-with-ajv.test.ts",
    ),
    env: { HOSTSIDE_RUNS: "200", HOSTSIDE_SCHEDULES: "1000" },
  },
  schedules: {
    isPatient: true,
    about: `${Number(schedules).toLocaleString("en")} schedules of the simulation in each mode`,
    // The same ones each time, so that a change is judged by itself; `pnpm soak` looks for others.
    args: ["scripts/soak.mjs", schedules, "--seed", process.env["HOSTSIDE_SEED"] ?? "1"],
  },
  matrix: { about: "the suite on Node 22 and 24", args: ["scripts/test-matrix.mjs"] },
};

const unknown = chosen.filter((name) => !Object.hasOwn(steps, name));
const isCountMisplaced = numbers.length === 1 && chosen.length > 0 && !chosen.includes("schedules");
if (unknown.length > 0) refuse(`no such step: ${unknown.join(", ")}`);
if (numbers.length > 1 || isCountMisplaced) refuse(`one number at most, for the step schedules: ${numbers.join(", ")}`);

/** @type {string[]} */
const lines = [];
/** @type {Promise<void>[]} */
const waiting = [];
for (const [name, step] of Object.entries(steps)) {
  if (chosen.length > 0 ? !chosen.includes(name) : step.isPartOf !== undefined) continue;
  if (step.isPatient !== true) await Promise.all(waiting.splice(0));
  const run = runStep(name, step);
  if (step.waits === true) waiting.push(run);
  else await run;
}
await Promise.all(waiting);
console.log(`\n${lines.join("\n")}`);

/**
 * @param {string} name
 * @param {Step} step Where others run beside it, each of its lines says whose it is.
 */
async function runStep(name, { about, args, env, waits = false }) {
  console.log(`\n--- ${name}: ${about}`);
  const startedAt = performance.now();
  rmSync(reportOf(name), { force: true });
  const child = spawn(process.execPath, args, {
    stdio: waits ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface(stream).on("line", (line) => console.log(`${name} | ${line}`));
  const code = await new Promise((resolve) => {
    child.on("close", resolve);
    child.on("error", (error) => resolve(error.message));
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  lines.push(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(14)}${seconds.padStart(5)} s`);
  if (code === 0) return;
  process.exitCode = 1;
  lines.push(...repeatsOf(name, { args, env }));
}

/**
 * The commands that repeat what failed: its tests one by one, where a report names them, and the whole step otherwise.
 * @param {string} name
 * @param {{ readonly args: readonly string[], readonly env?: Record<string, string> | undefined }} step
 */
function repeatsOf(name, { args, env = {} }) {
  const seed = process.env["HOSTSIDE_SEED"];
  const seeded = seed === undefined ? {} : { HOSTSIDE_SEED: seed };
  const again = (/** @type {Record<string, string>} */ variables, /** @type {string} */ command) =>
    `       again: ${Object.entries(variables)
      .map(([key, value]) => `${key}=${value} `)
      .join("")}${command}`;
  const wholeStep = again(seeded, name === "schedules" ? `pnpm proof ${name} ${schedules}` : `pnpm proof ${name}`);
  const read = readReport(reportOf(name));
  if ("problem" in read) return [wholeStep];
  const failed = read.report.testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => [relative(".", path), fullName]),
  );
  const config = args.includes("-c") ? "-c vitest.proof.config.ts " : "";
  const pattern = (/** @type {string} */ test) =>
    test.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("'", "'\\''");
  if (failed.length === 0) return [wholeStep];
  return failed.map(([file, test = ""]) =>
    again({ ...seeded, ...env }, `pnpm vitest run ${config}${file} -t '${pattern(test)}'`),
  );
}

/** @param {string} name */
function reportOf(name) {
  return `.ci/report-${name}.json`;
}

/** @param {string} mistake */
function refuse(mistake) {
  console.error(`proof: ${mistake}\npnpm proof [STEP…] [SCHEDULES], with the steps ${Object.keys(steps).join(", ")}`);
  process.exit(2);
}
