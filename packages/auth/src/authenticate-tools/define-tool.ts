import { cleanText, type ToolDefinition } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

/** A server that can be signed in to, in the host's own words. */
export interface SignInServer {
  readonly serverId: string;
  /** Its title, or its id. */
  readonly title: string;
}

/**
 * The tool by which a model asks for one server to be signed in to. Nothing in it is the server's.
 */
export function defineAuthenticateTool(
  { serverId, title }: SignInServer,
  name: string,
  groupId: string,
): ToolDefinition {
  const shown = quoteTitle(title);
  const which = title === serverId ? "" : ` (${quoteText(serverId)})`;
  const description = [
    `Signs the user in to the MCP server ${shown}${which}, whose tools are not available before.`,
    "Call it when the task needs that server. It takes no arguments.",
    "The user is shown a page, or the answer has the URL of one to show them; once they have signed in, the server's tools are available.",
  ].join(" ");
  return Object.freeze({
    name,
    title: `Sign in to ${cleanTitle(title)}`,
    description,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    effect: "external",
    effectSource: "host",
    groupIds: [groupId],
  });
}

/** A title as one bounded line. */
export function cleanTitle(title: string): string {
  return cleanText(title, 100).replaceAll(/\s+/g, " ");
}

/** The same in quotation marks. */
export function quoteTitle(title: string): string {
  return JSON.stringify(cleanTitle(title));
}
