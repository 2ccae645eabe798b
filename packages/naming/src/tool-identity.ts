import { compareText } from "@hostside/core/implement";

/**
 * The identity of a tool, whatever a model calls it: the pair that a local name stands for. A
 * `ToolOrigin` of core is one.
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
 *
 * @example
 * qualifiedName({ serverId: "files", toolName: "read_file" }); // "mcp::files::read_file"
 */
export function qualifiedName({ serverId, toolName }: ToolIdentity): string {
  return `mcp::${serverId.replaceAll("%", "%25").replaceAll(":", "%3A")}::${toolName}`;
}

/** Orders pairs by server id, then by remote name. */
export function byIdentity(a: ToolIdentity, b: ToolIdentity): number {
  return compareText(a.serverId, b.serverId) || compareText(a.toolName, b.toolName);
}

/**
 * Takes a name of the shape `mcp__<server>__<tool>` apart; `null` for any other text.
 *
 * For hosts that did so before, and for displays. Never route a call by it: a server whose name
 * contains `__` loses all after it, names that were cut or hashed do not tell their tool, and any
 * server can offer a tool whose name looks like another's. Look the name up with
 * {@linkcode identityOf} instead.
 */
export function parseToolName(name: string): { readonly server: string; readonly tool: string } | null {
  const [prefix, server, ...tool] = name.split("__");
  if (prefix !== "mcp" || !server || tool.length === 0) return null;
  return { server, tool: tool.join("__") };
}
