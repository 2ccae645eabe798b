import type { Diagnostic, ServerInfo, ServerSpec, ToolListing } from "@hostside/core";
import { freezeData, sameJson } from "@hostside/core/implement";
import type { ToolServerListing } from "../catalog/catalog.ts";
import { isSameOrigin, type ListingOrigin } from "../catalog/listing-origin.ts";
import { filterDiagnostics, listingDiagnostics, refusalDiagnostics } from "./listing-diagnostics.ts";
import type { Registration } from "./registration.ts";

/** What comes with a listing. */
export interface ListingNews {
  readonly server: ServerInfo;
  /**
   * Whether anybody is there to be told of it: to see which schemas are refused is a walk through
   * all of them.
   */
  readonly isWatched: boolean;
}

/**
 * Keeps a good listing. Returns what is to be reported of it, unless it was reported of the one
 * before. `listed` stays the same object when nothing that the catalogue shows is new.
 */
export function takeListing(
  registration: Registration,
  listing: ToolListing,
  { server, isWatched }: ListingNews,
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
  const isChanged = isNews && !sameJson(before?.tools, listing.tools);
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
    ...(isChanged && isWatched ? refusalDiagnostics(link.spec, listing.tools) : []),
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
