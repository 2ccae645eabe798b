import { assertKnownOptions, foldCase, quoteText } from "@hostside/core/implement";
import { evvaNaming, hostsideNaming, nexoNaming, toolNamePrefix } from "@hostside/naming";
import { readOneOf } from "../read-options.ts";
import { meetsPrefix } from "./match-glob.ts";
import {
  decisions,
  describeRule,
  ruleKinds,
  stricterFields,
  type ApprovalMode,
  type Rule,
  type RuleAction,
  type RuleDecision,
  type RuleLayer,
  type RuleLists,
  type RuleOptions,
  type StricterRules,
  type ToolRule,
  type ToolRules,
} from "./rule-options.ts";
import { assertSelector, readSelector, selectorFields, type ReadSelector, type ToolSelector } from "./select-tools.ts";

/** The ids of the servers that local names may mean. */
type Known = readonly string[] | undefined;

/**
 * Reads rules, and those of `approval.mode`; no layer at all when there are none. Throws a
 * `TypeError` that names rule and field: for one that makes no sense, that can never match, or that
 * contradicts another one.
 */
export function readRules(options: RuleOptions, mode: ApprovalMode = "none"): readonly RuleLayer[] {
  const { defaultDecision, stricter = [] } = options;
  if (!Array.isArray(stricter)) throw new TypeError("stricter must be a list");
  const known = readServers(options.servers);
  const layers: RuleLayer[] = [];
  const rules = readLists(options, "", known);
  if (rules.length > 0 || defaultDecision !== undefined) {
    const decision = readOneOf(defaultDecision, decisions, "defaultDecision") ?? "approval";
    layers.push({ scope: undefined, name: "", rules, byDefault: byDefault(decision, "defaultDecision") });
  }
  // The parameter says what they are; `Array.isArray` has forgotten it.
  for (const [index, rules] of (stricter as readonly StricterRules[]).entries())
    layers.push(readStricter(rules, index, known));
  if (mode !== "none") layers.push({ scope: undefined, name: "", rules: readMode(mode, known), byDefault: unasked });
  for (const { rules } of layers) assertNoContradiction(rules);
  return layers;
}

function assertNoContradiction(rules: readonly Rule[]): void {
  for (const rule of rules) {
    const other = rules.find(({ text, kind }) => text === rule.text && kind !== rule.kind);
    if (other === undefined) continue;
    throw new TypeError(`${rule.place} and ${other.place} contradict each other: both are for ${rule.text}`);
  }
}

function readStricter(rules: StricterRules, index: number, known: Known): RuleLayer {
  const place = `stricter[${index}]`;
  assertKnownOptions(place, rules, stricterFields);
  const { server, labels, defaultDecision } = rules;
  if (server === undefined && labels === undefined) {
    throw new TypeError(`${place} must say which servers it is for, by server or labels`);
  }
  const name = readText(rules.name, `${place}.name`) ?? place;
  const decision = readOneOf(defaultDecision, decisions, `${place}.defaultDecision`) ?? "quarantine";
  return {
    scope: readSelector({ server, labels }, place),
    name,
    rules: readLists(rules, `${place}.`, known),
    byDefault: byDefault(decision, `${name}.defaultDecision`),
  };
}

function readLists(lists: RuleLists, prefix: string, known: Known): readonly Rule[] {
  // The kinds are in the order in which they decide.
  return ruleKinds.flatMap((kind) => readList(lists[kind] ?? [], { kind, place: prefix + kind }, known));
}

const unasked: RuleDecision = {
  decision: "allow",
  stage: "rules",
  rule: "approval.mode",
  why: "is allowed, because no rule names it",
};

function readMode(mode: Exclude<ApprovalMode, "none">, known: Known): readonly Rule[] {
  const place = "approval.mode";
  const kind = "requireApproval";
  if (mode === "all") return [withDecision({ ...readSelector({}, place), text: mode, kind, place, name: place })];
  if (typeof mode === "string")
    throw new TypeError(`approval.mode: ${JSON.stringify(mode)} is none of "none", "all", { tools }`);
  assertKnownOptions(place, mode, { tools: true });
  if (mode.tools === undefined) throw new TypeError("approval.mode names no tool");
  return readList(mode.tools, { kind, place: `${place}.tools` }, known);
}

function readList(given: ToolRules, { kind, place }: Pick<Rule, "kind" | "place">, known: Known): readonly Rule[] {
  if (!isList(given)) return [readRule(given, { kind, place }, known)];
  return given.map((rule, index) => readRule(rule, { kind, place: `${place}[${index}]` }, known));
}

function isList(rules: ToolRules): rules is readonly (string | ToolRule)[] {
  return Array.isArray(rules);
}

function readRule(rule: string | ToolRule, { kind, place }: Pick<Rule, "kind" | "place">, known: Known): Rule {
  if (typeof rule === "string") {
    const read = isNameRule(rule) ? readName(rule, place, known) : readSelector(rule, place);
    return withDecision({ ...read, text: rule, kind, place, name: place });
  }
  assertSelector(rule, place);
  assertKnownOptions(place, rule, { ...selectorFields, name: true, reason: true });
  const { name, reason, ...selector } = rule;
  const read = { ...readSelector(selector, place), kind, place, name: readText(name, `${place}.name`) ?? place };
  return withDecision(read, readText(reason, `${place}.reason`));
}

// Made once: all tools share it for which a rule or a default decides.
function withDecision(rule: Omit<Rule, "decision">, reason?: string): Rule {
  const decision = rule.kind === "requireApproval" ? "approval" : rule.kind;
  const because = reason === undefined ? "" : `: ${reason}`;
  const why = `is ${participle[decision]} by ${describeRule(rule)}${because}`;
  return { ...rule, decision: { decision, stage: "rules", rule: rule.name, why } };
}

function byDefault(decision: RuleAction, rule: string): RuleDecision {
  const why = `is ${participle[decision]} by ${rule} (${JSON.stringify(decision)}), because no rule names it`;
  return { decision, stage: "rules", rule, why };
}

const participle: Readonly<Record<RuleAction, string>> = {
  allow: "allowed",
  approval: "to be approved at each call",
  quarantine: "held back",
  deny: "denied",
};

function readName(text: string, place: string, known: Known): ReadSelector {
  const translated = translateRule(text, known);
  if ("selector" in translated) return readSelector(translated.selector, place, translated.loosely);
  throw new TypeError(`${place}: ${translated.problem}${hintFor(translated.problem, known)}`);
}

function hintFor(problem: string, servers: Known): string {
  if (servers === undefined) return '; give the ids of your servers in servers, or write "server/tool"';
  if (!problem.endsWith("that is known")) return "";
  const ids = servers.slice(0, 20).map((id) => quoteText(id));
  return `; known are ${ids.join(", ") || "none"}; write "server/tool"`;
}

function readServers(servers: unknown): Known {
  if (servers === undefined) return undefined;
  if (Array.isArray(servers) && servers.every((id) => typeof id === "string")) return servers;
  throw new TypeError("servers must be a list of server ids");
}

function readText(text: unknown, place: string): string | undefined {
  if (text === undefined || (typeof text === "string" && text.trim() !== "")) return text;
  throw new TypeError(`${place} must be a text that is not blank`);
}

/**
 * The meaning of a rule that was written for a name, or why it has none. `loosely`: in any
 * spelling, because a local name does not tell every remote name byte for byte.
 */
export type TranslatedRule =
  | { readonly selector: ToolSelector; readonly loosely?: boolean }
  | { readonly problem: string };

/** Tells whether a text is a rule for a local name, and not `server/tool`. */
export function isNameRule(text: string): boolean {
  return text.startsWith("mcp_") && !text.includes("/");
}

/**
 * Translates a rule that was written for a local name (`mcp_github_delete_repo`, `mcp_github_*`),
 * or in the form `mcp__server__tool` (`mcp__fs__*`, and `mcp__fs` for all of a server), to the
 * identity that it stands for. `servers` are the ids of those that are known; where they are given,
 * `mcp__fs__*` is about the server `fs`, known or not.
 *
 * If several servers could be meant, or none is known, or a name ends like one with a hash, it says
 * so instead of guessing.
 */
export function translateRule(text: string, servers: readonly string[] | undefined): TranslatedRule {
  const name = foldCase(text);
  const fail = (problem: string): TranslatedRule => ({ problem: `${JSON.stringify(text)} ${problem}` });
  const ids = servers ?? [];
  const whole = ids.filter((id) => name === foldCase(toolNamePrefix(id, evvaNaming)).slice(0, -2));
  const candidates = ids
    .flatMap((serverId) => prefixesOf(serverId, name).map((prefix) => ({ serverId, prefix })))
    .filter(({ prefix }) => meetsPrefix(name, prefix));
  const meant = Array.from(new Set([...whole, ...candidates.map(({ serverId }) => serverId)])).sort();
  const [serverId] = meant;
  if (serverId === undefined) {
    const [, server, tool = "*"] = /^mcp__([^*]+?)(?:__(.+))?$/i.exec(text) ?? [];
    if (servers === undefined || server === undefined) return fail("names no server that is known");
    return { selector: { server, tool }, loosely: tool !== "*" };
  }
  if (meant.length > 1)
    return fail(`could be about the servers ${meant.map((id) => JSON.stringify(id)).join(" and ")}`);
  if (serverId.includes("*")) return fail('is about a server with a "*" in its id, which a rule cannot say');
  if (whole.length > 0) return { selector: { server: serverId, tool: "*" } };
  const prefix = candidates.find((candidate) => name.startsWith(candidate.prefix))?.prefix;
  if (prefix === undefined) return fail('has a "*" where the server is named; write "server/tool"');
  const tool = name.slice(prefix.length);
  if (tool === "") return fail("names no tool");
  if (/_(?:[0-9a-f]{6}|[0-9a-f]{8})$/.test(tool)) {
    return fail('ends like a name with a hash, which does not tell its tool; write "server/tool"');
  }
  return { selector: { server: serverId, tool }, loosely: tool !== "*" };
}

function prefixesOf(serverId: string, name: string): readonly string[] {
  const namings = name.startsWith("mcp__") ? [evvaNaming] : [hostsideNaming, nexoNaming];
  return Array.from(new Set(namings.map((naming) => foldCase(toolNamePrefix(serverId, naming)))));
}
