import { comparedHosts } from "./compared-hosts.mjs";

/**
 * @typedef {{ readonly level: string, readonly status: string, readonly observed?: string, readonly playedAgain?: boolean }} FoundCheck
 * @typedef {object} FoundHost
 * @property {string} name What the driver says.
 * @property {string} version
 * @property {string} date
 * @property {number} seconds
 * @property {Readonly<Record<string, FoundCheck>>} checks By id.
 *
 * @typedef {object} HostResults What `compare-hosts` found.
 * @property {Readonly<Record<string, FoundHost>>} hosts
 * @property {string} node
 * @property {string} system
 * @property {number} cores
 * @property {number} load
 * @property {string} kit
 * @property {number} seed
 *
 * @typedef {import("./compared-hosts.mjs").ComparedHost & FoundHost} Column
 */

/**
 * The page of what hosts pass.
 *
 * @param {HostResults} results
 */
export function hostResultsPage(results) {
  const hosts = comparedHosts.flatMap((host) => {
    const found = results.hosts[host.id];
    return found === undefined ? [] : [{ ...host, ...found }];
  });
  const scenarios = [...new Set(hosts.flatMap(({ checks }) => Object.keys(checks).map(scenarioOf)))];
  const venues = Math.max(...hosts.map(({ checks }) => Object.keys(checks).length));
  return [
    "# What hosts pass",
    "",
    "<!-- Written by `pnpm hosts:compare`. What stands here is changed in conformance/scripts. -->",
    "",
    `${count(hosts.length, "host")} in ${scenarios.length} scenarios, each over every way that it is about: ${venues} checks. Played with Node.js ${results.node} on ${results.system},`,
    `${count(results.cores, "processor core").toLowerCase()} that had other work (load ${results.load}), \`--seed ${results.seed}\`, version ${results.kit} of the kit. A check that fails is played twice more, by itself, and counts as failed`,
    "if it fails each time.",
    "",
    "```sh",
    "pnpm hosts:compare                      # installs the peers, plays all hosts, writes this page",
    "pnpm hosts:compare --only ai-sdk,mastra # plays these again",
    "```",
    "",
    "## What was compared",
    "",
    "The hosts are not of one kind. A client library that does not connect again leaves that to whoever builds on it, and a row that says no is",
    "then no bug of it, but work that is left. What the specification demands, or what harms a user, is **MUST**; everything else is advice.",
    "",
    "| | what it is | version | of | passed, of those that apply | failed `MUST` | seconds |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...hosts.map(overview),
    "",
    "Each is configured by its own documentation, for robustness: time limits, restarts, reconnects and following of changes are on. [The",
    "drivers](../../conformance/peers) add nothing to it: they neither connect again nor call again. They name what the host can do and no more, so",
    "that the rest does not apply to it: who has no way to add a server to a running client is not asked to. Where an agent of a host lists the tools at",
    "each of its turns, each look at its tools is a turn, and what is about announcements of changes does not apply. Seconds are those of one play of all that applies, three scenarios at a time, and say",
    "mostly how often the host ran into a time limit.",
    "",
    "## By scenario",
    "",
    "“yes”: passed in every way it was played. “**no**”: a `MUST` failed. “no”: advice was not followed. A way behind it: only over that. “?”: it could not be judged. “–”: the",
    "driver does not name a feature that the scenario needs. [The page on drivers](../reference/host-driver.md) says what scenarios are, and",
    "`npx @hostside/conformance host --explain ID` what one of them stands on.",
    "",
    `| scenario | ${hosts.map(({ column }) => column).join(" | ")} |`,
    `| --- |${" --- |".repeat(hosts.length)}`,
    ...scenarios.map((scenario) => `| \`${scenario}\` | ${hosts.map((host) => cell(host, scenario)).join(" | ")} |`),
    "",
    "## Why a `MUST` failed",
    "",
    "Looked at by hand, in what the servers of the scenario saw and, where nothing else is said, in the code of the host.",
    "",
    ...hosts.flatMap(explain),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

/** @param {Column} host */
function overview(host) {
  const { column, about, name, version, date, seconds, checks } = host;
  const must = Object.values(checks).filter(({ status, level }) => status === "fail" && level === "MUST").length;
  const what = /^[@a-z]/.test(name) ? `\`${name}\` ${version}` : version;
  return `| ${column} | ${about} | ${what} | ${date} | ${passedOf(host)} | ${must} | ${seconds} |`;
}

/** @param {Column} host @param {string} scenario */
function cell({ checks }, scenario) {
  const own = Object.entries(checks).filter(([id]) => scenarioOf(id) === scenario);
  const applying = own.filter(([, { status }]) => status !== "not-applicable");
  if (applying.length === 0) return "–";
  const failed = applying.filter(([, { status }]) => status === "fail");
  const open = applying.filter(([, { status }]) => status === "could-not-run");
  if (failed.length === 0) return open.length === 0 ? "yes" : "?";
  const no = failed.some(([, { level }]) => level === "MUST") ? "**no**" : "no";
  return failed.length === applying.length ? no : `${no}: ${failed.map(([id]) => venueOf(id)).join(", ")}`;
}

/** @param {Column} host */
function explain({ column, checks, causes = {} }) {
  const failed = Object.entries(checks).filter(([, { status, level }]) => status === "fail" && level === "MUST");
  if (failed.length === 0) return [];
  const lines = [...new Set(failed.map(([id]) => scenarioOf(id)))].map((scenario) => {
    const own = failed.filter(([id]) => scenarioOf(id) === scenario);
    const [[, { observed = "" }] = ["", {}]] = own;
    const cause = causes[scenario] ?? `not looked at yet; the kit says: ${asText(observed)}`;
    return `- \`${scenario}\` (${own.map(([id]) => venueOf(id)).join(", ")}): ${cause}`;
  });
  return [`### ${column}`, "", ...lines, ""];
}

/** @param {string} observed */
function asText(observed) {
  return observed.replaceAll(/[\s|<>`]+/g, " ").trim();
}

/** @param {string} id */
function scenarioOf(id) {
  return id.slice(0, id.lastIndexOf("/"));
}

/** @param {string} id */
function venueOf(id) {
  return id.slice(id.lastIndexOf("/") + 1);
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
  const word = words[number] ?? `${number}`;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} ${noun}${number === 1 ? "" : "s"}`;
}

const compared = ["create-host", "sdk-v2", "ai-sdk", "openai-agents", "mastra", "mcp-use", "langchain", "mcporter"];
const situations = [
  ["survive/hang-at-start-blocks-nobody", "A server that hangs delays no other"],
  ["recover/crash-during-call", "A call that may have run is not sent again"],
  ["recover/session-expired", "A lost session comes back"],
  ["survive/close-with-grandchild", "All processes end, also those of servers"],
  ["recover/crash-while-idle", "A server that crashed comes back"],
  ["consistent/name-collisions", "Equal names of two servers stay apart"],
  ["consistent/malformed-tool", "A malformed tool costs no other tool"],
  ["consistent/list-changed", "Changes of tools are followed"],
  ["consistent/add-at-run-time", "Servers can be added at run time"],
  ["hostile/echoed-credentials", "Errors have no credentials that a server echoes"],
  ["survive/oversized-answer", "An answer that is too large is refused"],
  ["survive/decompression-bomb", "A small answer that unpacks to a huge one is refused"],
];

/**
 * A page with the table of some hosts in it, between the marks `hosts: start` and `hosts: end`.
 *
 * @param {string} page
 * @param {HostResults} results
 * @param {number} [rows] How many rows it has.
 */
export function withComparison(page, results, rows = situations.length + 1) {
  const hosts = comparedHosts.flatMap((host) => {
    const found = results.hosts[host.id];
    return found === undefined || !compared.includes(host.id) ? [] : [{ ...host, ...found }];
  });
  const table = [
    `| | ${hosts.map(({ column }) => column).join(" | ")} |`,
    `|---|${"---|".repeat(hosts.length)}`,
    `| Checks passed, of those that apply | ${hosts.map(passedOf).join(" | ")} |`,
    ...situations
      .map(
        ([id = "", label]) => `| ${label} | ${hosts.map((host) => cell(host, id).replaceAll("*", "")).join(" | ")} |`,
      )
      .slice(0, rows - 1),
  ];
  const [start, end] = ["<!-- hosts: start -->", "<!-- hosts: end -->"];
  const [before = "", rest = ""] = page.split(start);
  const [, after = ""] = rest.split(end);
  return `${before}${start}\n\n${table.join("\n")}\n\n${end}${after}`;
}

/** @param {Column} host */
function passedOf({ checks }) {
  const all = Object.values(checks);
  const passed = all.filter(({ status }) => status === "pass").length;
  return `${passed} of ${all.filter(({ status }) => status !== "not-applicable").length}`;
}
