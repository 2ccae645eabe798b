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
    `${count(hosts.length, "host")} played ${scenarios.length} scenarios of the conformance kit over every transport that they apply to: ${venues} checks.`,
    "",
    `The run used Node.js ${results.node} on ${results.system} with ${count(results.cores, "processor core").toLowerCase()} and other work (load ${results.load}), \`--seed ${results.seed}\` and version ${results.kit} of the kit.`,
    "A check that fails is played twice more, and counts as failed if it fails each time.",
    "",
    "```sh",
    "pnpm hosts:compare                      # installs the peers, plays all hosts, writes this page",
    "pnpm hosts:compare --only ai-sdk,mastra # plays these again",
    "```",
    "",
    "## What was compared",
    "",
    "These hosts have different purposes. A client library that does not reconnect leaves that to you; such a row is no defect of it.",
    "**MUST** checks are required by the specification, or protect users. All other checks are advice.",
    "",
    "| | what it is | version | of | passed, of those that apply | failed `MUST` | seconds |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...hosts.map(overview),
    "",
    "Each host is configured by its own documentation for robustness: timeouts, restarts, reconnects and changes of lists are on.",
    "The [drivers](../../conformance/peers) add nothing: they neither reconnect nor repeat calls.",
    "They name only what the host can do; other checks do not apply.",
    "If an agent lists tools at each turn, each snapshot is a turn, and checks of change notifications do not apply.",
    "Seconds are the time of one run with three scenarios at a time. They mostly show how often a timeout was reached.",
    "",
    "## By scenario",
    "",
    "- “yes”: passed over every transport.",
    "- “**no**”: a `MUST` failed. “no”: advice was not followed. A transport behind it: only there.",
    "- “?”: could not be judged.",
    "- “–”: the driver does not name the feature.",
    "",
    "The page of the [host driver](../reference/host-driver.md) describes scenarios. `npx @hostside/conformance host --explain ID` explains one.",
    "",
    `| scenario | ${hosts.map(({ column }) => column).join(" | ")} |`,
    `| --- |${" --- |".repeat(hosts.length)}`,
    ...scenarios.map((scenario) => `| \`${scenario}\` | ${hosts.map((host) => cell(host, scenario)).join(" | ")} |`),
    "",
    "## Why a `MUST` failed",
    "",
    "These causes were found by hand, in the messages at the servers and in the code of the host.",
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
