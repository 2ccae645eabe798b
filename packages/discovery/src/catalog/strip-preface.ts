import type { ToolDefinition } from "@hostside/core";

/**
 * A tool's description without the preface that says which server's tool it is and what its title
 * is. A model should read that; a search, or a line that has the name already, gains nothing by it.
 */
export function stripPreface({ description, origin, title, annotations }: ToolDefinition): string {
  if (origin === undefined) return description;
  // A backtick of a name is an apostrophe in a quotation.
  const quote = (text: string): string => text.replaceAll("`", "'");
  const preface = `MCP server \`${quote(origin.serverId)}\` tool \`${quote(origin.toolName)}\`.`;
  if (!description.startsWith(preface)) return description;
  const rest = description.slice(preface.length).trimStart();
  const label = `Title: ${title ?? annotations?.title ?? ""}.`;
  return rest.startsWith(label) ? rest.slice(label.length).trimStart() : rest;
}

/**
 * Whether a group's description says something of its own. A provider that knows nothing better
 * says that these are the tools of that server, which the id says as well.
 */
export function isInformative(description: string): boolean {
  return description.trim() !== "" && !/^Tools provided by MCP server `[^`]*`\.$/.test(description.trim());
}
