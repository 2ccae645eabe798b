import { cleanText, ToolportError } from "@toolport/core";

/** `unknown_tool`: nobody has a tool of this name. */
export function unknownTool(name: string): ToolportError {
  return new ToolportError(`no tool ${quote(name)}`, { code: "unknown_tool", toolName: name });
}

/** `tool_removed`: it was declared, and is gone. */
export function removedTool(name: string): ToolportError {
  return new ToolportError(`tool ${quote(name)} is no longer offered`, { code: "tool_removed", toolName: name });
}

// Models make names up, of any length.
function quote(name: string): string {
  return JSON.stringify(cleanText(name, 80));
}
