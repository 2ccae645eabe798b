import type { ToolDefinition } from "./tool.ts";
import { ToolportError } from "./toolport-error.ts";
import { cleanText, truncateText } from "./untrusted-text.ts";

// Models make names up, of any length.
const maxNameLength = 200;

/**
 * An `unknown_tool`: none of `definitions` answers to this local name. Its `toolName` is the name that was asked for, cut to 200 UTF-16
 * units. The message suggests tools that a server knows by this name, which is the likeliest mistake.
 */
export function unknownToolError(name: string, definitions: readonly ToolDefinition[]): ToolportError {
  return new ToolportError(`tool ${quote(name)} not found; ${suggest(name, definitions)}`, {
    code: "unknown_tool",
    toolName: truncateText(name, maxNameLength),
  });
}

function suggest(name: string, definitions: readonly ToolDefinition[]): string {
  const meant = definitions.filter(({ origin }) => origin?.toolName === name).slice(0, 3);
  if (meant.length > 0) return `did you mean ${meant.map((tool) => quote(tool.name)).join(" or ")}?`;
  return `definitions() has ${definitions.length} tools to choose from`;
}

function quote(name: string): string {
  return JSON.stringify(cleanText(name, maxNameLength));
}
