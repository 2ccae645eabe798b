import { cleanText, ToolportError, type ToolDefinition } from "@toolport/core";

/** The `tool_changed` of a tool that is not what the model, or the caller, was shown of it. */
export function changedTool(name: string, { origin }: ToolDefinition): ToolportError {
  const message = `tool ${JSON.stringify(cleanText(name, 80))} is not what the model was shown any more; declare the tools again and let it choose anew`;
  return new ToolportError(message, {
    code: "tool_changed",
    serverId: origin?.serverId || undefined,
    toolName: origin?.toolName ?? name,
  });
}
