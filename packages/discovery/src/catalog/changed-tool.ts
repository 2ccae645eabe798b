import { cleanText, HostsideError, type ToolDefinition, type ToolOrigin } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

/** The `tool_changed` of a tool that is not what the model, or the caller, was shown of it. */
export function changedTool(name: string, { origin }: ToolDefinition): HostsideError {
  const message = `tool ${JSON.stringify(cleanText(name, 80))} is not what the model was shown any more; declare the tools again and let it choose anew`;
  return new HostsideError(message, {
    code: "tool_changed",
    serverId: origin?.serverId || undefined,
    toolName: origin?.toolName ?? name,
  });
}

/** The `tool_quarantined` of a tool that the host holds back. */
export function quarantinedTool({ name, origin }: ToolDefinition): HostsideError {
  const message = `tool ${JSON.stringify(cleanText(name, 80))} is in quarantine until the host lets it be used`;
  return new HostsideError(message, {
    code: "tool_quarantined",
    serverId: origin?.serverId || undefined,
    toolName: origin?.toolName ?? name,
  });
}

/** A tool that was offered, and is not any more. */
export function removedTool(name: string, origin?: ToolOrigin): HostsideError {
  return new HostsideError(`tool ${quoteText(name, 80)} is no longer offered`, {
    code: "tool_removed",
    serverId: origin?.serverId || undefined,
    toolName: origin?.toolName ?? name,
  });
}
