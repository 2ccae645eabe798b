// The whole bar for a change, apart from the tests: one line a step, every step runs even when an earlier one failed, and the output
// of those that failed follows at the end. As many run at once as there are cores. `pnpm check layers docs` runs the named steps only.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";

const script = (/** @type {string} */ name) => [process.execPath, `scripts/check-${name}.mjs`];

/** @type {Record<string, string[]>} */
const steps = {
  format: ["oxfmt", "--check"],
  // With import/no-cycle among its rules, this is the check for circles of files as well.
  lint: ["oxlint", "--deny-warnings", "--report-unused-disable-directives"],
  types: ["tsc", "-p", "tsconfig.json"],
  // The rule is layers.json; .dependency-cruiser.mjs makes it into rules of the tool.
  layers: ["depcruise", "--config", ".dependency-cruiser.mjs", "packages/*/src", "fixtures/src", "conformance/src"],
  docs: script("docs"),
  words: script("words"),
  // Links to other sites are not followed: a check must not depend on somebody else's server.
  links: ["remark", ".", "--ignore-path", ".gitignore", "--frail", "--quiet", "--no-stdout"],
  paths: script("paths"),
  tree: script("tree"),
  traces: script("traces"),
  // budget.json has the limits.
  size: script("size"),
  changesets: ["changeset", "status", "--since", firstThatIsThere("main", "origin/main", "HEAD")],
  packages: script("packages"),
  // Waits for the step that builds: knip follows a program from its file in bin/ to the built one.
  unused: ["knip", "--treat-config-hints-as-errors", "--no-progress"],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(
    `check: no such step: ${unknown.join(", ")}\npnpm check [STEP…], with the steps ${Object.keys(steps).join(", ")}`,
  );
  process.exit(2);
}

/** @type {string[]} */
const failures = [];
/** @type {Set<Promise<void>>} */
const running = new Set();
for (const name of Object.keys(steps)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  while (running.size >= availableParallelism()) await Promise.race(running);
  // `packages` replaces what `layers` reads, and `unused` reads what `packages` builds.
  if (name === "packages" || name === "unused") await Promise.all(running);
  const step = runStep(name).finally(() => running.delete(step));
  running.add(step);
}
await Promise.all(running);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

/** @param {string} name */
async function runStep(name) {
  const [command = "", ...args] = steps[name] ?? [];
  const startedAt = performance.now();
  const { code, output } = await run(command, args);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(12)}${seconds.padStart(5)} s`);
  if (code !== 0) failures.push(`\n--- ${name}: ${command} ${args.join(" ")} (exit code ${code})\n${output.trim()}`);
}

/** @param {string[]} refs In a clone of one commit there is no main branch. */
function firstThatIsThere(...refs) {
  return refs.find((ref) => spawnSync("git", ["rev-parse", "--verify", "--quiet", ref]).status === 0) ?? "HEAD";
}

/**
 * @param {string} command A program of node_modules/.bin, or a path.
 * @param {string[]} args
 */
async function run(command, args) {
  const PATH = `${join(process.cwd(), "node_modules/.bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH, NO_COLOR: "1" },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, output: `${stdout}${stderr}` };
}
