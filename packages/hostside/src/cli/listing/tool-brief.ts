import { cleanText, type ToolDefinition, type ToolEffect } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";

/** A tool in lists. Texts are cleaned. */
export interface ToolBrief {
  /** The local name. */
  readonly name: string;
  /** Id of its server; `""` for the host's own. */
  readonly server: string;
  /** The remote name, byte for byte. */
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly effect: ToolEffect;
  /** About how many its definition costs a model. */
  readonly tokens: number;
}

/** What lists say of a tool. Pure. */
export function toolBriefOf(definition: ToolDefinition): ToolBrief {
  const { name, origin, title, annotations, effect = "external" } = definition;
  const shown = title ?? annotations?.title;
  return {
    name,
    server: origin?.serverId ?? "",
    tool: origin?.toolName ?? name,
    ...(shown !== undefined && { title: cleanText(shown, 256) }),
    description: cleanText(ownWords(definition), 8192),
    effect,
    tokens: estimateDefinitionTokens(definition),
  };
}

/**
 * What its server says of a tool, without what the host puts before it for a model, who cannot see
 * whose it is.
 */
function ownWords({ entry, description }: ToolDefinition): string {
  const own = entry?.["description"];
  if (typeof own === "string") return own;
  return entry === undefined ? description : "";
}
