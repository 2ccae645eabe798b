import { HostsideError, type AbsentServer } from "./hostside-error.ts";
import type { ToolDefinition } from "./tool.ts";
import { findMeant } from "./find-meant.ts";
import { quoteText, truncateText } from "./text.ts";

// Models make names up, of any length.
const maxNameLength = 200;

const mostSuggested = 3;

// A message is read by people.
const mostServersNamed = 5;

/**
 * An `unknown_tool`: none of `definitions` answers to this local name. Its `toolName` is the name
 * that was asked for, cut to 200 UTF-16 units. The message suggests tools that a server knows by
 * this name, which is the likeliest mistake, or whose names differ in case and punctuation alone,
 * or else by one slip of the keyboard; and it names `absent` servers, one of which may have the
 * tool: all of them are in `details.servers`.
 */
export function unknownToolError(
  name: string,
  definitions: readonly ToolDefinition[],
  absent: readonly AbsentServer[] = [],
): HostsideError {
  const servers = absent.length === 0 ? "" : `; ${describeAbsent(absent)}`;
  const suggestions = toolsMeant(name, definitions).map((tool) => tool.name);
  return new HostsideError(`tool ${quote(name)} not found; ${suggest(suggestions, definitions.length)}${servers}`, {
    code: "unknown_tool",
    toolName: truncateText(name, maxNameLength),
    details: { ...(suggestions.length > 0 && { suggestions }), ...(absent.length > 0 && { servers: absent }) },
  });
}

/** Names servers whose tools are not on offer, and says why. */
export function describeAbsent(absent: readonly AbsentServer[]): string {
  const reported = absent.slice(0, mostServersNamed).map(({ id, state, code }) => {
    return `${JSON.stringify(id)} (${code === undefined ? state : `${state}: ${code}`})`;
  });
  const more = absent.length > reported.length ? ` and ${absent.length - reported.length} more` : "";
  const advice = absent.every(({ state }) => state === "idle") ? "; was init() called?" : "";
  return `no tools are known of ${reported.join(", ")}${more}${advice}`;
}

function suggest(names: readonly string[], count: number): string {
  if (names.length > 0) return `did you mean ${names.map(quote).join(" or ")}?`;
  if (count === 0) return "there is none";
  return count === 1 ? "there is 1, by another name" : `there are ${count}, by other names`;
}

/**
 * The tools that somebody may have meant by a name that none has, three at most: those that a
 * server knows by it, with or without the server's id before a `/`, or else those whose local name
 * differs in case and punctuation alone, or else those one of whose names is one slip of the
 * keyboard away.
 */
export function toolsMeant(name: string, definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const exact = definitions.filter(
    ({ origin }) =>
      origin && [origin.toolName, origin.qualifiedName, `${origin.serverId}/${origin.toolName}`].includes(name),
  );
  if (exact.length > 0) return exact.slice(0, mostSuggested);
  return findMeant(name, definitions, ({ name: own, origin }) =>
    origin ? [own, origin.toolName, `${origin.serverId}/${origin.toolName}`] : [own],
  );
}

function quote(name: string): string {
  return quoteText(name, maxNameLength);
}

/**
 * An `unknown_server`: none of the registered `serverIds` is this one. The message suggests those
 * that differ from it in case and punctuation alone, or else by one slip of the keyboard, three at
 * most, which `details.suggestions` has as well.
 */
export function unknownServerError(serverId: string, serverIds: Iterable<string>): HostsideError {
  const suggestions = findMeant(serverId, serverIds, (id) => [id]);
  const meant = suggestions.map((id) => quoteText(id)).join(" or ");
  const hint = suggestions.length === 0 ? "" : `; did you mean ${meant}?`;
  return new HostsideError(`server ${quoteText(serverId)} is not registered${hint}`, {
    code: "unknown_server",
    serverId,
    details: suggestions.length === 0 ? undefined : { suggestions },
  });
}
