import { cleanText, type Diagnostic, type RemoteTool, type ServerSpec, type ToolListing } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { NameCollision } from "@hostside/naming";
import type { ToolServerListing } from "../catalog/catalog.ts";
import { findModelApiRefusals } from "../catalog/find-refusals.ts";
import { createToolFilter } from "../catalog/tool-filter.ts";
import type { PartFault } from "../guarded-parts.ts";

/**
 * What a developer wants to know of a listing: which tools were left out or mended, and why it
 * stops where it does.
 */
export function listingDiagnostics(
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

// One server must not fill a log.
const mostRefusals = 50;

/**
 * One diagnostic for each tool on offer whose schema some model API refuses, and with it the whole
 * request that declares the tool; at most 50, and one that counts the rest.
 */
export function refusalDiagnostics(spec: ServerSpec, tools: readonly RemoteTool[]): readonly Diagnostic[] {
  const { id: serverId } = spec;
  const refused = tools
    .filter(createToolFilter(spec))
    .flatMap(({ name: toolName, inputSchema }): readonly Diagnostic[] => {
      const refusals = findModelApiRefusals(inputSchema);
      if (refusals.length === 0) return [];
      const message = `model APIs refuse its input schema as it is: ${refusals.join(", ")}`;
      return [{ kind: "schema-refused", serverId, toolName, message }];
    });
  if (refused.length <= mostRefusals) return refused;
  const message = `model APIs refuse the input schemas of ${refused.length - mostRefusals} more tools as they are`;
  return [...refused.slice(0, mostRefusals), { kind: "schema-refused", serverId, message }];
}

/**
 * One diagnostic for each name in `allow`, `deny` or `tools` that the server does not list: it may
 * be misspelt. None for a listing that was cut short, because the name may stand in the rest.
 */
export function filterDiagnostics(
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

/** One diagnostic for each tool that had to take another name than it would have had. */
export function collisionDiagnostics(collisions: readonly NameCollision[]): readonly Diagnostic[] {
  return collisions.flatMap(({ name, members, reservedFor, reserved }) => {
    const message =
      reservedFor !== undefined
        ? `${quoteText(name)} would be a name of server ${JSON.stringify(reservedFor)}`
        : reserved === true
          ? `${quoteText(name)} is a reserved name`
          : `${members.length} tools would be called ${quoteText(name)}`;
    return members.map(({ serverId, toolName }) => ({ kind: "name-collision", serverId, toolName, message }));
  });
}

/**
 * One diagnostic for each tool, or server, for which a part of the product's own failed; of a
 * failed admission, one for each server.
 */
export function faultDiagnostics(
  faults: readonly PartFault[],
  listings: readonly ToolServerListing[],
): readonly Diagnostic[] {
  const decisions = faults.filter(({ part }) => part === "admission");
  return faults.flatMap((fault) => {
    const { part, subject, serverId: known, problem } = fault;
    const shown = JSON.stringify(cleanText(subject, 256));
    if (part === "description" && known !== undefined) {
      const message = `the description function failed for ${shown}; the default description is used`;
      return [{ kind: "description-failed", serverId: known, toolName: subject, message }];
    }
    if (part === "admission" && known !== undefined) {
      // One rule that fails fails for all of a server's tools.
      const [first, ...others] = decisions.filter(({ serverId }) => serverId === known);
      if (fault !== first) return [];
      const who = others.length === 0 ? `${shown} is` : `${shown} and ${others.length} more of its tools are`;
      const message = `${who} hidden, because admit() ${problem}`;
      return [{ kind: "admission-failed", serverId: known, toolName: subject, message }];
    }
    const message = `the naming strategy failed for ${shown}; that part of the name is made by the default strategy`;
    return listings
      .filter(({ spec, tools }) => spec.id === subject || tools.some(({ name }) => name === subject))
      .map(({ spec: { id: serverId } }): Diagnostic => ({ kind: "naming-failed", serverId, message }));
  });
}
