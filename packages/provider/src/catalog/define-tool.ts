import {
  cleanText,
  type RemoteTool,
  type ServerSpec,
  type ToolDefinition,
  type ToolEffect,
  type ToolOrigin,
  type ToolOverride,
} from "@toolport/core";
import { freezeData } from "@toolport/core/implement";
import { decideEffect, overrideOf } from "./decide-effect.ts";
import { withFingerprint, type Sourced } from "./fingerprint-tool.ts";

/** Writes the description that a model reads. Gets untrusted texts, and returns one. */
export type DescribeTool = (tool: RemoteTool, spec: ServerSpec) => string;

/** A definition of the catalogue; it always says where it comes from, and what it does. */
export type CatalogTool = ToolDefinition & Sourced & { readonly origin: ToolOrigin; readonly effect: ToolEffect };

// Titles and names are quoted in one line.
const longestQuote = 256;
const plainName = /^[\w./-]{0,256}$/;

/**
 * The default description: ``MCP server `<id>` tool `<name>`. Title: <title>. <description>``. Tells a model and an auditor
 * whose words these are: a backtick in a name or title is an apostrophe here, so that neither can be more than one quotation. Texts that
 * are flagged are stripped of control, bidirectional and invisible characters.
 */
export function describeWithOrigin(tool: RemoteTool, { id }: ServerSpec): string {
  const title = quote(tool.title ?? tool.annotations?.title ?? "");
  const words = (tool.description ?? "").trim();
  const description = tool.flags === undefined ? words : cleanText(words);
  const parts = [`MCP server \`${quote(id)}\` tool \`${quote(tool.name)}\`.`];
  if (title !== "") parts.push(`Title: ${title}.`);
  if (description !== "") parts.push(description);
  return parts.join(" ");
}

/** The server's own description, unchanged. */
export function describeVerbatim({ description = "" }: RemoteTool): string {
  return description;
}

type Defined = Omit<CatalogTool, keyof Sourced>;

/** What a definition is made from besides the tool. */
export interface DefinitionParts {
  readonly spec: ServerSpec;
  readonly localName: string;
  /** What the qualified names of the server's tools begin with. */
  readonly qualifier: string;
  readonly groupIds: readonly string[];
  readonly describe: DescribeTool;
}

/**
 * A remote tool as a model gets it, with the host's words in place of the server's where the spec has some. Schemas and annotations are the very objects that the server sent, frozen throughout: every reader
 * gets the same ones.
 */
export function defineTool(tool: RemoteTool, parts: DefinitionParts): CatalogTool {
  const { spec, localName, groupIds, describe } = parts;
  const { id: serverId } = spec;
  const { name: toolName } = tool;
  const override = overrideOf(spec, toolName);
  const description = describe(override === undefined ? tool : reword(tool, override), spec);
  shareText(tool, description);
  const { title = tool.title, requiresConfirmation } = override ?? {};
  const { effect, effectSource } = decideEffect(tool, spec);
  // Spreading all that may be absent would be shorter; of ten thousand tools, each would hold 32 bytes more. One spread makes room for the
  // member that `withFingerprint` adds.
  const definition: { -readonly [Member in keyof Defined]: Defined[Member] } = {
    name: localName,
    description,
    inputSchema: freezeData(tool.inputSchema),
    effect,
    origin: Object.freeze({ serverId, toolName, qualifiedName: `${parts.qualifier}${toolName}` }),
    groupIds,
    ...(title !== undefined && { title }),
  };
  if (tool.outputSchema !== undefined) definition.outputSchema = freezeData(tool.outputSchema);
  if (tool.annotations !== undefined) definition.annotations = freezeData(tool.annotations);
  if (effectSource !== undefined) definition.effectSource = effectSource;
  if (requiresConfirmation !== undefined) definition.requiresConfirmation = requiresConfirmation;
  if (tool.flags !== undefined) definition.flags = freezeData(tool.flags);
  return Object.freeze(withFingerprint(definition, tool));
}

/**
 * Makes the server's words of a tool a part of the description that ends with them: the same text, which takes no room of its own. A connector may hand out what
 * cannot be changed.
 */
function shareText(tool: RemoteTool, description: string): void {
  const words = tool.description ?? "";
  if (words !== "" && words.length < description.length && description.endsWith(words)) {
    Reflect.set(tool, "description", description.slice(description.length - words.length));
  }
}

/** The tool with the host's words for it. */
function reword(tool: RemoteTool, { title = tool.title, description = tool.description }: ToolOverride): RemoteTool {
  return { ...tool, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

/** A text for the inside of a sentence, in one line. A backtick would end the quotation that it stands in. */
function quote(text: string): string {
  // Most names are plain, and cleaning nothing costs more than looking.
  if (plainName.test(text)) return text;
  const clean = cleanText(text, longestQuote);
  return clean.replaceAll("\n", " ").replaceAll("`", "'").trim();
}
