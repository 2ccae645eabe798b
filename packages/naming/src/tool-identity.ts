import { compareText } from "@hostside/core/implement";

/**
 * What a tool is, whatever a model calls it: the pair that a local name stands for. A `ToolOrigin`
 * of core is one.
 */
export interface ToolIdentity {
  readonly serverId: string;
  /** The remote name: what the server calls the tool, byte for byte. */
  readonly toolName: string;
}

/**
 * `mcp::<server>::<tool>`: one text for policies, allowlists and logs, whatever the naming
 * strategy. Never for routing.
 *
 * In the server id, `%` and `:` are percent-encoded, so that two tools never share a qualified
 * name: server `a::b` with tool `c` is `mcp::a%3A%3Ab::c`, server `a` with tool `b::c` is
 * `mcp::a::b::c`.
 */
export function qualifiedName({ serverId, toolName }: ToolIdentity): string {
  return `mcp::${serverId.replaceAll("%", "%25").replaceAll(":", "%3A")}::${toolName}`;
}

/** Orders pairs by server id, then by remote name. */
export function byIdentity(a: ToolIdentity, b: ToolIdentity): number {
  return compareText(a.serverId, b.serverId) || compareText(a.toolName, b.toolName);
}
