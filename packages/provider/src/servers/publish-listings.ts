import { cleanText, type Diagnostic, type ServerInfo, type ServerSpec, type ToolListing } from "@hostside/core";
import type { ToolServerListing } from "../catalog/catalog.ts";
import type { Registration } from "./registration.ts";
import { freezeData, sameJson, quoteText } from "@hostside/core/implement";
import { isSameOrigin, type ListingOrigin } from "../catalog/define-tool.ts";

/**
 * Keeps a good listing. Returns what is to be reported of it, unless it was reported of the one
 * before. `listed` stays the same object when nothing that the catalogue shows is new.
 */
export function takeListing(
  registration: Registration,
  listing: ToolListing,
  server: ServerInfo,
): readonly Diagnostic[] {
  const { id, link, listing: before, saved } = registration;
  registration.listing = listing;
  registration.saved = undefined;
  // Only what this registration listed: it may begin with the listing of the one that it replaces.
  // What was saved may be of an earlier version.
  const isSuccessor = before === undefined && (saved === undefined || saved.server.name === server.name);
  const replaced = isSuccessor ? undefined : describeReplacement(registration.listed?.server, server);
  if (replaced !== undefined) registration.replacements += 1;
  // What was selected from another server says nothing about this one, even if it reads the same.
  const origin = listingOriginOf(registration);
  const next: ToolServerListing = { origin, spec: link.spec, server, tools: listing.tools };
  // Every status hands out what the server says of itself.
  const isNews = !sameListing(registration.listed, next);
  if (isNews) registration.listed = { ...next, server: freezeData({ ...server }) };
  const reported =
    before?.truncated === listing.truncated &&
    sameJson(before?.dropped ?? [], listing.dropped) &&
    sameJson(before?.withoutSchema ?? [], listing.withoutSchema ?? []);
  const unmatched = filterDiagnostics(link.spec, listing);
  const unmatchedBefore = before === undefined ? [] : filterDiagnostics(link.spec, before);
  return [
    ...(replaced === undefined ? [] : [{ kind: "server-replaced", serverId: id, message: replaced } as const]),
    ...(reported ? [] : listingDiagnostics(id, listing)),
    ...(sameTools(unmatchedBefore, unmatched) ? [] : unmatched),
  ];
}

/** Which of the servers that a registration has met listed something. */
export function listingOriginOf({ link, replacements, provider }: Registration): ListingOrigin {
  return { spec: link.spec, replacements, provider };
}

function describeReplacement(before: ServerInfo | undefined, after: ServerInfo): string | undefined {
  if (before === undefined || (before.name === after.name && before.version === after.version)) return undefined;
  return `the server came back as another one: ${nameOf(before)} before, ${nameOf(after)} now`;
}

function nameOf({ name, version }: ServerInfo): string {
  return [name === undefined ? "without a name" : JSON.stringify(name), version].filter(Boolean).join(" ");
}

/**
 * Gives a registration another spec, for all that needs no new session. Returns what is worth
 * telling of it.
 */
export function changeSpec(registration: Registration, spec: ServerSpec): readonly Diagnostic[] {
  const { link, listing, listed } = registration;
  link.use(spec);
  if (listed !== undefined) registration.listed = { ...listed, spec };
  return listing === undefined ? [] : filterDiagnostics(spec, listing);
}

function sameTools(before: readonly Diagnostic[], after: readonly Diagnostic[]): boolean {
  return before.length === after.length && after.every(({ toolName }, index) => toolName === before[index]?.toolName);
}

function sameListing(before: ToolServerListing | undefined, next: ToolServerListing): boolean {
  return (
    before !== undefined &&
    isSameOrigin(before.origin, next.origin) &&
    before.spec === next.spec &&
    sameJson(before.server, next.server) &&
    sameJson(before.tools, next.tools)
  );
}

/**
 * What a developer wants to know of a listing: which tools were left out or mended, and why it
 * stops where it does.
 */
function listingDiagnostics(
  serverId: string,
  { dropped, withoutSchema = [], truncated, tools, failure }: ToolListing,
): readonly Diagnostic[] {
  const drops = dropped.map(({ name, reason }): Diagnostic => ({
    kind: "tool-dropped",
    serverId,
    message: `a tool was left out: ${cleanText(reason, 512)}`,
    ...(name !== undefined && { toolName: name }),
  }));
  const mended = withoutSchema.map(({ name, reason }): Diagnostic => ({
    kind: "schema-replaced",
    serverId,
    message: `a schema was left out: ${cleanText(reason, 512)}`,
    ...(name !== undefined && { toolName: name }),
  }));
  if (truncated === undefined) return [...drops, ...mended];
  const why = failure === undefined ? truncated : cleanText(failure.message, 512);
  const message = `the list of tools stops after ${tools.length}: ${why}`;
  return [...drops, ...mended, { kind: "listing-truncated", serverId, message }];
}

/**
 * One diagnostic for each name in `allow`, `deny` or `tools` that the server does not list: it may
 * be misspelt. None for a listing that was cut short, because the name may stand in the rest.
 */
function filterDiagnostics(
  { id, allow = [], deny = [], tools: overrides = {} }: ServerSpec,
  { tools, dropped, truncated }: ToolListing,
): readonly Diagnostic[] {
  const overridden = Object.keys(overrides);
  if (allow.length + deny.length + overridden.length === 0 || truncated !== undefined) return [];
  // Why a tool was dropped is another diagnostic.
  const listed = new Set([...tools, ...dropped].map(({ name }) => name));
  const unmatched = (member: "allow" | "deny" | "tools", names: readonly string[]): readonly Diagnostic[] =>
    names
      .filter((name) => !listed.has(name))
      .map((toolName) => ({
        kind: member === "tools" ? "unmatched-override" : "unmatched-filter",
        serverId: id,
        toolName,
        message: `${member} of server ${JSON.stringify(id)} has ${quoteText(toolName)}, and the server lists no such tool`,
      }));
  return [...unmatched("allow", allow), ...unmatched("deny", deny), ...unmatched("tools", overridden)];
}
