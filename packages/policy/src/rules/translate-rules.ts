import type { ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import { evvaNaming, nexoNaming, toolNamePrefix, hostsideNaming } from "@hostside/naming";
import { globsMeet } from "./compare-globs.ts";
import type { ToolSelector } from "./select-tools.ts";

/** What local names can be translated by. The more is known, the more of them have one meaning. */
export interface KnownTools {
  /** Ids of servers, whether their tools are known or not. */
  readonly servers?: readonly string[] | undefined;
  /** Tools as they are on offer: a name of theirs is looked up, never taken apart. */
  readonly definitions?: readonly ToolDefinition[] | undefined;
}

/** Rules that were written for names, as rules for identities. */
export interface TranslatedRules {
  /** Of each text that has one meaning, that meaning, in the order of the texts. */
  readonly rules: readonly { readonly text: string; readonly selector: ToolSelector }[];
  /** Of each other text, why it has none. */
  readonly problems: readonly { readonly text: string; readonly problem: string }[];
}

/**
 * Translates rules that were written for local names (`mcp_github_delete_repo`, `mcp_github_*`), in
 * the form `mcp__server__tool` (`mcp__fs__*`, and `mcp__fs` for all of a server), or for qualified
 * names (`mcp::fs::read`), to the identities that they stand for. Pure.
 *
 * A local name does not tell every remote name byte for byte, so that a selector that was made from
 * one takes any spelling of the name, on that server alone. Where several servers could be meant,
 * or none is known, or a name ends like one with a hash, it says so instead of guessing.
 */
export function translateRules(texts: readonly string[], known: KnownTools): TranslatedRules {
  const read = texts.map((text) => ({ text, ...translateRule(text, known) }));
  return {
    rules: read.flatMap((one) => ("selector" in one ? [{ text: one.text, selector: one.selector }] : [])),
    problems: read.flatMap((one) => ("problem" in one ? [{ text: one.text, problem: one.problem }] : [])),
  };
}

/** The meaning of one text, or why it has none. */
export type TranslatedRule = { readonly selector: ToolSelector } | { readonly problem: string };

/** Whether a text is a rule for a name, and not `server/tool`. */
export function isNameRule(text: string): boolean {
  return text.startsWith("mcp::") || (text.startsWith("mcp_") && !text.includes("/"));
}

/** Translates one. With `isOpen`, `mcp__fs__*` is about the server `fs`, known or not. */
export function translateRule(text: string, known: KnownTools, isOpen = false): TranslatedRule {
  if (text.startsWith("mcp::")) return readQualifiedName(text);
  const found = findDefinition(text, known.definitions ?? []);
  return found ?? readLocalName(text, serversOf(known), isOpen);
}

function readQualifiedName(text: string): TranslatedRule {
  const [, server = "", ...rest] = text.split("::");
  const tool = rest.length === 0 ? "*" : rest.join("::");
  if (server === "" || tool === "") return { problem: `${JSON.stringify(text)} is not "mcp::server::tool"` };
  return { selector: { server: server.replaceAll("%3A", ":").replaceAll("%25", "%"), tool } };
}

function findDefinition(text: string, definitions: readonly ToolDefinition[]): TranslatedRule | undefined {
  const name = foldCase(text);
  const found = definitions.filter((definition) => foldCase(definition.name) === name);
  const [only] = found;
  if (only === undefined) return undefined;
  const { serverId = "", toolName = only.name } = only.origin ?? {};
  if (found.length > 1) return { problem: `${JSON.stringify(text)} is the name of ${found.length} tools` };
  if (`${serverId}${toolName}`.includes("*")) {
    return {
      problem: `${JSON.stringify(text)} stands for a tool with a "*" in its name or that of its server, which a rule cannot say`,
    };
  }
  return { selector: { server: serverId, tool: toolName } };
}

function serversOf({ servers = [], definitions = [] }: KnownTools): readonly string[] {
  const ids = definitions.map(({ origin }) => origin?.serverId ?? "");
  return Array.from(new Set([...servers, ...ids])).filter((id) => id !== "");
}

interface Candidate {
  readonly serverId: string;
  /** Of the names of its tools. */
  readonly prefix: string;
}

function readLocalName(text: string, servers: readonly string[], isOpen: boolean): TranslatedRule {
  const name = foldCase(text);
  const quoted = JSON.stringify(text);
  const whole = servers.filter((id) => name === foldCase(toolNamePrefix(id, evvaNaming)).slice(0, -2));
  const candidates = servers
    .flatMap((serverId) => prefixesOf(serverId, name).map((prefix): Candidate => ({ serverId, prefix })))
    .filter(({ prefix }) => globsMeet(name, `${prefix}*`));
  const meant = Array.from(new Set([...whole, ...candidates.map(({ serverId }) => serverId)])).sort();
  const [serverId] = meant;
  if (serverId === undefined) {
    const [, server, tool = "*"] = /^mcp__([^*]+?)(?:__(.+))?$/i.exec(text) ?? [];
    if (isOpen && server !== undefined) return { selector: { server, tool, spelling: tool === "*" ? "exact" : "any" } };
    return { problem: `${quoted} names no server that is known` };
  }
  if (meant.length > 1) {
    return { problem: `${quoted} could be about the servers ${meant.map((id) => JSON.stringify(id)).join(" and ")}` };
  }
  if (serverId.includes("*"))
    return { problem: `${quoted} is about a server with a "*" in its id, which a rule cannot say` };
  if (whole.length > 0) return { selector: { server: serverId, tool: "*" } };
  const prefix = candidates.find((candidate) => name.startsWith(candidate.prefix))?.prefix;
  if (prefix === undefined) return { problem: `${quoted} has a "*" where the server is named; write "server/tool"` };
  const tool = name.slice(prefix.length);
  if (tool === "") return { problem: `${quoted} names no tool` };
  if (/_(?:[0-9a-f]{6}|[0-9a-f]{8})$/.test(tool)) {
    return { problem: `${quoted} ends like a name with a hash; which tool has it is known by the definitions alone` };
  }
  return { selector: tool === "*" ? { server: serverId, tool } : { server: serverId, tool, spelling: "any" } };
}

function prefixesOf(serverId: string, name: string): readonly string[] {
  const namings = name.startsWith("mcp__") ? [evvaNaming] : [hostsideNaming, nexoNaming];
  return Array.from(new Set(namings.map((naming) => foldCase(toolNamePrefix(serverId, naming)))));
}
