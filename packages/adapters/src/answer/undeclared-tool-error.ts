import { HostsideError } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { DeclaredTool, Declaration } from "../declared-tool.ts";

const maxNameLength = 200;
const mostSuggested = 3;
const finders: ReadonlySet<string> = new Set(["tools_search", "tools_select"]);

/**
 * An `unknown_tool` in words for a model that called what is not declared: why it was left out, or
 * declared names that are near, and how to get at tools that are not declared where the toolbox's
 * own `tools_search` or `tools_select` is. Its `toolName` is what the model asked for, cut to 200
 * UTF-16 units.
 */
export function undeclaredToolError({ tools, leftOut }: Declaration, asked: string): HostsideError {
  const reason = leftOut.find(({ definition }) => definition.name === asked)?.reason;
  const why = reason === undefined ? adviceOf(tools, asked) : `: ${reason}`;
  return new HostsideError(`tool ${quoteText(asked, maxNameLength)} is not declared${why}`, {
    code: "unknown_tool",
    toolName: asked.slice(0, maxNameLength).toWellFormed(),
  });
}

function adviceOf(tools: readonly DeclaredTool[], asked: string): string {
  const near = tools.filter((tool) => isMeant(tool, asked)).slice(0, mostSuggested);
  const meant = near.length === 0 ? "" : `; did you mean ${namesOf(near, " or ")}?`;
  const helpers = namesOf(tools.filter(isFinder), " or ");
  if (helpers !== "") return `${meant || ";"} ${helpers} brings a tool that is there and not declared`;
  if (near.length > 0) return meant;
  return tools.length === 0 ? "; no tool is" : "; call one that is, by its exact name";
}

function namesOf(tools: readonly DeclaredTool[], between: string): string {
  return tools.map(({ name }) => quoteText(name, maxNameLength)).join(between);
}

// A tool of a server by such a name finds nothing of the toolbox.
function isFinder({ definition: { name, origin } }: DeclaredTool): boolean {
  return finders.has(name) && (origin?.serverId ?? "") === "";
}

function isMeant({ name, definition }: DeclaredTool, asked: string): boolean {
  const { origin } = definition;
  if (asked === definition.name || asked === origin?.toolName || asked === origin?.qualifiedName) return true;
  return differInOneLetter(lettersOf(name), lettersOf(asked));
}

function lettersOf(name: string): string {
  return name
    .slice(0, maxNameLength)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Also `true` for the same. One letter is more, less or another one. */
function differInOneLetter(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === "") return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const rest = (text: string, skipped: number): string => text.slice(at + skipped);
  if (one.length === other.length) return rest(one, 1) === rest(other, 1);
  return one.length > other.length ? rest(one, 1) === rest(other, 0) : rest(one, 0) === rest(other, 1);
}
