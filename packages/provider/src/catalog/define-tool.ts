import { cleanText, type RemoteTool, type ServerSpec, type ToolDefinition, type ToolOrigin } from "@toolport/core";
import { freezeData } from "@toolport/core/implement";
import { qualifiedName } from "@toolport/naming";

/** Writes the description that a model reads. Gets untrusted texts, and returns one. */
export type DescribeTool = (tool: RemoteTool, spec: ServerSpec) => string;

/** A definition of the catalogue; it always says where it comes from. */
export type CatalogTool = ToolDefinition & { readonly origin: ToolOrigin };

// Titles and names are quoted in one line.
const longestQuote = 256;

/**
 * The default description: ``MCP server `<id>` tool `<name>`. Title: <title>. <description>``. Tells a model and an auditor
 * whose words these are: a backtick in a name or title is an apostrophe here, so that neither can be more than one quotation. Texts that
 * are flagged are stripped of control, bidirectional and invisible characters.
 */
export function describeWithOrigin(tool: RemoteTool, { id }: ServerSpec): string {
  const title = quote(tool.title ?? tool.annotations?.title ?? "");
  const description = (tool.description ?? "").trim();
  return [
    `MCP server \`${quote(id)}\` tool \`${quote(tool.name)}\`.`,
    title && `Title: ${title}.`,
    tool.flags === undefined ? description : cleanText(description),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** The server's own description, unchanged. */
export function describeVerbatim({ description = "" }: RemoteTool): string {
  return description;
}

/** What a definition is made from besides the tool. */
export interface DefinitionParts {
  readonly spec: ServerSpec;
  readonly localName: string;
  readonly groupIds: readonly string[];
  readonly describe: DescribeTool;
}

/**
 * A remote tool as a model gets it. Schemas and annotations are the very objects that the server sent, frozen throughout: every reader
 * gets the same ones.
 */
export function defineTool(tool: RemoteTool, { spec, localName, groupIds, describe }: DefinitionParts): CatalogTool {
  const { id: serverId } = spec;
  const { name: toolName } = tool;
  return Object.freeze({
    name: localName,
    ...(tool.title !== undefined && { title: tool.title }),
    description: describe(tool, spec),
    inputSchema: freezeData(tool.inputSchema),
    ...(tool.outputSchema !== undefined && { outputSchema: freezeData(tool.outputSchema) }),
    ...(tool.annotations !== undefined && { annotations: freezeData(tool.annotations) }),
    origin: Object.freeze({ serverId, toolName, qualifiedName: qualifiedName({ serverId, toolName }) }),
    groupIds,
    ...(tool.flags !== undefined && { flags: freezeData(tool.flags) }),
  });
}

/** A text for the inside of a sentence, in one line. A backtick would end the quotation that it stands in. */
function quote(text: string): string {
  return cleanText(text, longestQuote).replaceAll("\n", " ").replaceAll("`", "'").trim();
}
