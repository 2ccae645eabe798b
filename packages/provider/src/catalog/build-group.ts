import { cleanText, type ServerInfo, type ServerSpec, type ToolGroup } from "@hostside/core";

/**
 * The group of one server: its members, and what the server says of itself, which is data for
 * displays and for discovery and never an instruction. A title in the spec wins over the one that
 * the server claims.
 */
export function buildGroup(
  id: string,
  { spec, server }: { readonly spec: ServerSpec; readonly server: ServerInfo },
  members: readonly string[],
): ToolGroup {
  const claimed = [spec.title, server.title, server.name].map(clean).find((title) => title !== "");
  const instructions = clean(server.instructions);
  return Object.freeze({
    id,
    title: claimed === undefined || claimed === spec.id ? `MCP server \`${clean(spec.id)}\`` : claimed,
    description: clean(server.description) || `Tools provided by MCP server \`${clean(spec.id)}\`.`,
    ...(instructions !== "" && { instructions }),
    members,
  });
}

function clean(text: string | undefined): string {
  return text === undefined ? "" : cleanText(text).trim();
}
