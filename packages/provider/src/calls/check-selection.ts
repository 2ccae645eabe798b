import { HostsideError, type ToolDefinition } from "@hostside/core";
import { quoteText, sameDefinition } from "@hostside/core/implement";
import { listingOriginOf, type CatalogTool } from "../catalog/define-tool.ts";
import { isSameOrigin } from "../catalog/listing-origin.ts";

/**
 * Throws unless what the caller selected is what `current` is: `registration_replaced` when it was
 * made for another registration of the server, `tool_changed` when anything in it differs. A copy,
 * such as one that was stored as JSON, counts by its content.
 */
export function checkSelection(selected: ToolDefinition, current: CatalogTool): void {
  if (selected === current) return;
  const { serverId, toolName } = current.origin;
  const [before, now] = [listingOriginOf(selected), listingOriginOf(current)];
  if (before !== undefined && now !== undefined && !isSameOrigin(before, now)) {
    throw new HostsideError(
      `server ${JSON.stringify(serverId)} was replaced since ${quoteText(toolName)} was selected; select it again`,
      { code: "registration_replaced", serverId, toolName },
    );
  }
  if (sameDefinition(selected, current)) return;
  throw new HostsideError(
    `tool ${quoteText(toolName)} of ${JSON.stringify(serverId)} changed since it was selected; select it again`,
    { code: "tool_changed", serverId, toolName },
  );
}
