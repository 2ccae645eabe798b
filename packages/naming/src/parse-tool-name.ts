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
