import type { GatewaySettings } from "../gateway-options.ts";
import type { GatewayTools } from "../gateway-client.ts";

const mostGroups = 50;
const how =
  "Tools are found, not listed: search with tools_search, or select by name or group with tools_select. What you found you can call by its name, through tools_read if it only reads, or else through tools_call.";

/**
 * What the gateway says to the model of a client. Of servers there are their ids and the number of
 * their tools, which are the host's words: what a server says of itself is no instruction.
 */
export function instructionsFor(
  { instructions, expose }: Pick<GatewaySettings, "instructions" | "expose">,
  tools: GatewayTools,
): string | undefined {
  const own = instructions();
  if (expose === "all") return own;
  const parts = [own, how];
  if (expose === "groups") {
    const groups = tools.groups();
    const shown = groups.slice(0, mostGroups).map(({ id, members }) => `${id} (${members.length})`);
    const more = groups.length > shown.length ? ` and ${groups.length - shown.length} more, see tools_groups` : "";
    if (shown.length > 0) parts.push(`Groups, with the number of their tools: ${shown.join(", ")}${more}.`);
  }
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
