// Plays every host of the comparison and writes docs/explanation/host-results.md: node conformance/scripts/compare-hosts.mjs [--only id,…]
// [--page]
// `pnpm hosts:compare` installs the peers and builds the kit before. What was found is kept in conformance/results/hosts.json. A run of
// some hosts replaces theirs, and `--page` plays nothing.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform, arch, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { comparedHosts } from "./compared-hosts.mjs";
import { hostResultsPage, withComparison } from "./host-results-page.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const kit = `${root}conformance/bin/hostside-conformance.js`;
const data = `${root}conformance/results/hosts.json`;
const page = `${root}docs/explanation/host-results.md`;
const seed = 1;
// They look at what follows an announcement, which says nothing of a host whose agent lists at each of its turns.
const aboutAnnouncements = ["consistent/list-changed", "consistent/change-during-listing", "consistent/change-storm"];
// A busy machine makes good hosts late: what failed is played again by itself, and counts if it fails each time.
const rounds = 3;
// One of the peers needs it; all are played on the same.
const major = "24";

const options = process.argv.slice(2);
const only = options.includes("--only") ? options[options.indexOf("--only") + 1]?.split(",") : undefined;
const unknown = only?.filter((id) => !comparedHosts.some((host) => host.id === id)) ?? [];
if (unknown.length > 0) throw new TypeError(`no such host: ${unknown.join(", ")}`);

const results = readResults();
if (!options.includes("--page")) {
  const node = findNode();
  const folder = mkdtempSync(join(tmpdir(), "hostside-hosts-"));
  try {
    for (const host of comparedHosts) {
      if (only !== undefined && !only.includes(host.id)) continue;
      results.hosts[host.id] = playHost(host, { node, report: join(folder, `${host.id}.json`) });
      Object.assign(results, describeMachine(node));
      mkdirSync(`${root}conformance/results`, { recursive: true });
      writeFileSync(data, `${JSON.stringify(results, null, 2)}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
writeFileSync(page, hostResultsPage(results));
for (const [file, rows] of /** @type {const} */ ([["docs/explanation/comparison.md"], ["README.md", 5]])) {
  writeFileSync(`${root}${file}`, withComparison(readFileSync(`${root}${file}`, "utf8"), results, rows));
}

function readResults() {
  try {
    return JSON.parse(readFileSync(data, "utf8"));
  } catch {
    return { hosts: {} };
  }
}

function playHost({ id, command, listsAtEachTurn = false }, { node, report }) {
  const [program, ...args] = command(node);
  const play = (which) => {
    const { status } = spawnSync(
      node,
      [kit, "host", "--seed", `${seed}`, "--json", report, ...which, "--", program, ...args],
      { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
    );
    if (status !== 0 && status !== 1 && status !== 3)
      throw new Error(`the kit could not play ${id}: exit code ${status}`);
    return JSON.parse(readFileSync(report, "utf8"));
  };

  process.stdout.write(`${id}\n`);
  const startedAt = new Date();
  const whole = play(listsAtEachTurn ? aboutAnnouncements.flatMap((scenario) => ["--skip", scenario]) : []);
  const checks = new Map(whole.results.map((result) => [result.check.id, readResult(result)]));
  for (let round = 2; round <= rounds; round += 1) {
    const failed = Array.from(checks).filter(([, { status }]) => status === "fail" || status === "could-not-run");
    if (failed.length === 0) break;
    const next = play(failed.flatMap(([check]) => ["--only", check]));
    for (const result of next.results) {
      const before = checks.get(result.check.id);
      const now = readResult(result);
      if (before.status !== "pass" && now.status === "pass") checks.set(result.check.id, { ...now, playedAgain: true });
      else if (before.status === "could-not-run") checks.set(result.check.id, now);
    }
  }
  const { name, version } = whole.identity;
  for (const [check, { status, observed }] of checks)
    if (status === "fail") process.stdout.write(`  ${check}: ${observed}\n`);
  return {
    name,
    version,
    date: startedAt.toISOString().slice(0, 10),
    seconds: Math.round(whole.durationMs / 1000),
    checks: Object.fromEntries(checks),
  };
}

function readResult({ check: { level }, finding }) {
  const observed = finding.status === "fail" ? finding.observed.slice(0, 240) : undefined;
  return { level, status: finding.status, ...(observed !== undefined && { observed }) };
}

function describeMachine(node) {
  return {
    node: execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1),
    system: `${platform()} ${arch()}`,
    cores: cpus().length,
    load: Number((loadavg()[2] ?? 0).toFixed(1)),
    kit: JSON.parse(readFileSync(`${root}conformance/package.json`, "utf8")).version,
    seed,
  };
}

function findNode() {
  if (process.versions.node.split(".")[0] === major) return process.execPath;
  const found = execFileSync("npx", ["-y", "-p", `node@${major}`, "node", "-p", "process.execPath"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  return found.trim();
}
