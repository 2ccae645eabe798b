import { foldCase } from "@hostside/core/implement";
import { evvaNaming, hostsideNaming, nexoNaming, toolNamePrefix } from "@hostside/naming";
import { globsMeet } from "./match-glob.ts";
import type { ToolSelector } from "./select-tools.ts";

/**
 * The meaning of a rule that was written for a name, or why it has none. `loosely`: in any
 * spelling, because a local name does not tell every remote name byte for byte.
 */
export type TranslatedRule =
  | { readonly selector: ToolSelector; readonly loosely?: boolean }
  | { readonly problem: string };

/** Tells whether a text is a rule for a name, and not `server/tool`. */
export function isNameRule(text: string): boolean {
  return text.startsWith("mcp::") || (text.startsWith("mcp_") && !text.includes("/"));
}

/**
 * Translates a rule that was written for a local name (`mcp_github_delete_repo`, `mcp_github_*`),
 * in the form `mcp__server__tool` (`mcp__fs__*`, and `mcp__fs` for all of a server), or for a
 * qualified name (`mcp::fs::read`), to the identity that it stands for. `servers` are the ids of
 * those that are known; where they are given, `mcp__fs__*` is about the server `fs`, known or not.
 *
 * Where several servers could be meant, or none is known, or a name ends like one with a hash, it
 * says so instead of guessing.
 */
export function translateRule(text: string, servers: readonly string[] | undefined): TranslatedRule {
  return text.startsWith("mcp::") ? readQualifiedName(text) : readLocalName(text, servers);
}

function readQualifiedName(text: string): TranslatedRule {
  const [, server = "", ...rest] = text.split("::");
  const tool = rest.length === 0 ? "*" : rest.join("::");
  if (server === "" || tool === "") return { problem: `${JSON.stringify(text)} is not "mcp::server::tool"` };
  return { selector: { server: server.replaceAll("%3A", ":").replaceAll("%25", "%"), tool } };
}

function readLocalName(text: string, servers: readonly string[] | undefined): TranslatedRule {
  const name = foldCase(text);
  const fail = (problem: string): TranslatedRule => ({ problem: `${JSON.stringify(text)} ${problem}` });
  const ids = servers ?? [];
  const whole = ids.filter((id) => name === foldCase(toolNamePrefix(id, evvaNaming)).slice(0, -2));
  const candidates = ids
    .flatMap((serverId) => prefixesOf(serverId, name).map((prefix) => ({ serverId, prefix })))
    .filter(({ prefix }) => globsMeet(name, `${prefix}*`));
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
