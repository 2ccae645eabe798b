/**
 * Whether a group's description says something of its own. A provider that knows nothing better
 * says that these are the tools of that server, which the id says as well.
 */
export function isInformative(description: string): boolean {
  return description.trim() !== "" && !/^Tools provided by MCP server `[^`]*`\.$/.test(description.trim());
}
