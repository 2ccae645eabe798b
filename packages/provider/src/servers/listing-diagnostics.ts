import { cleanText, quoteText, type Diagnostic, type ServerSpec, type ToolListing } from "@toolport/core";
import type { NameCollision } from "@toolport/naming";
import type { ServerListing } from "../catalog/catalog.ts";
import type { PartFault } from "../guarded-parts.ts";

/** What a developer wants to know of a listing: which tools were left out, and why it stops where it does. */
export function listingDiagnostics(
  serverId: string,
  { dropped, truncated, tools }: ToolListing,
): readonly Diagnostic[] {
  const drops = dropped.map(({ name, reason }): Diagnostic => ({
    kind: "tool-dropped",
    serverId,
    message: `a tool was left out: ${cleanText(reason, 512)}`,
    ...(name !== undefined && { toolName: name }),
  }));
  if (truncated === undefined) return drops;
  const message = `the list of tools stops after ${tools.length}: ${truncated}`;
  return [...drops, { kind: "listing-truncated", serverId, message }];
}

/**
 * One diagnostic for each name in `include` or `exclude` that the server does not list: it may be misspelt. None for a listing that
 * was cut short, because the name may stand in the rest.
 */
export function filterDiagnostics(
  { id, include = [], exclude = [] }: ServerSpec,
  { tools, dropped, truncated }: ToolListing,
): readonly Diagnostic[] {
  if ((include.length === 0 && exclude.length === 0) || truncated !== undefined) return [];
  // Why a tool was dropped is told by itself.
  const listed = new Set([...tools, ...dropped].map(({ name }) => name));
  const unmatched = (member: string, names: readonly string[]): readonly Diagnostic[] =>
    names
      .filter((name) => !listed.has(name))
      .map((toolName) => ({
        kind: "unmatched-filter",
        serverId: id,
        toolName,
        message: `${member} names ${quoteText(toolName)}, which the server does not list`,
      }));
  return [...unmatched("include", include), ...unmatched("exclude", exclude)];
}

/** One diagnostic for each tool that had to take another name than it would have had. */
export function collisionDiagnostics(collisions: readonly NameCollision[]): readonly Diagnostic[] {
  return collisions.flatMap(({ name, members, reservedFor }) => {
    const message =
      reservedFor === undefined
        ? `${members.length} tools would be called ${quoteText(name)}`
        : `${quoteText(name)} would be a name of server ${JSON.stringify(reservedFor)}`;
    return members.map(({ serverId, toolName }) => ({ kind: "name-collision", serverId, toolName, message }));
  });
}

/** One diagnostic for each tool, or server, for which a part of the product's own failed. */
export function faultDiagnostics(
  faults: readonly PartFault[],
  listings: readonly ServerListing[],
): readonly Diagnostic[] {
  return faults.flatMap(({ part, subject, serverId: known }) => {
    const shown = JSON.stringify(cleanText(subject, 256));
    if (part === "description" && known !== undefined) {
      const message = `the description function failed for ${shown}; the default description is used`;
      return [{ kind: "description-failed", serverId: known, toolName: subject, message }];
    }
    const message = `the naming strategy failed for ${shown}; that part of the name is made by the default strategy`;
    return listings
      .filter(({ spec, tools }) => spec.id === subject || tools.some(({ name }) => name === subject))
      .map(({ spec: { id: serverId } }): Diagnostic => ({ kind: "naming-failed", serverId, message }));
  });
}
