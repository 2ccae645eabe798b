import { HostsideError, type HostsideErrorCode, type ToolDefinition, type ToolOrigin } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

/** A tool of this name that is not the one that the model was shown. */
export function changedTool(name: string, { origin }: ToolDefinition): HostsideError {
  const advice = "is not what the model was shown any more; declare the tools again and let it choose anew";
  return toolError("tool_changed", { name, origin }, advice);
}

/** A tool that the host holds back. */
export function quarantinedTool(definition: ToolDefinition): HostsideError {
  return toolError(
    "tool_quarantined",
    definition,
    "differs from what was locked or approved, or is new, and is held back until it is approved",
  );
}

/** A tool that was there, and is not. */
export function removedTool(name: string, origin?: ToolOrigin): HostsideError {
  return toolError("tool_removed", { name, origin }, "is no longer offered");
}

interface NamedTool {
  readonly name: string;
  readonly origin?: ToolOrigin | undefined;
}

function toolError(code: HostsideErrorCode, { name, origin }: NamedTool, problem: string): HostsideError {
  return new HostsideError(`tool ${quoteText(name, 80)} ${problem}`, {
    code,
    serverId: origin?.serverId || undefined,
    toolName: origin?.toolName ?? name,
  });
}
