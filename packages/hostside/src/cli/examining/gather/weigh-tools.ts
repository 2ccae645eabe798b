import { adaptSchema, anthropic, gemini, openai, type SchemaProfile } from "@hostside/adapters";
import type { ToolDefinition } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";
import { toolNamePrefix, hostsideNaming } from "@hostside/naming";
import { terminalLine } from "../../render/one-line.ts";
import type { ApiFacts, OfferedToolFacts } from "../facts.ts";

/** The model APIs that every tool is held against, as people call them. */
const apis: readonly { readonly api: string; readonly profile: SchemaProfile }[] = [
  { api: "OpenAI", profile: openai },
  { api: "Anthropic", profile: anthropic },
  { api: "Gemini", profile: gemini },
];

/** What a model sees of a tool, and what that costs. */
export function weighTool(definition: ToolDefinition): OfferedToolFacts {
  const { serverId = "", toolName = definition.name } = definition.origin ?? {};
  const plain = `${toolNamePrefix(serverId, hostsideNaming)}${hostsideNaming.sanitize(toolName)}`;
  const isTooLong = plain.length > hostsideNaming.maxLength;
  return {
    name: shown(toolName),
    localName: definition.name,
    ...(plain !== definition.name && { renamed: isTooLong ? "too-long" : "collision" }),
    tokens: estimateDefinitionTokens(definition),
    flags: definition.flags ?? [],
  };
}

/** Which tools each model API takes as they are, takes changed, and does not take. */
export function checkToolsPerApi(definitions: readonly ToolDefinition[]): readonly ApiFacts[] {
  return apis.map(({ api, profile }) => {
    const fits = definitions.map(({ name, origin, inputSchema }) => ({
      tool: shown(origin?.toolName ?? name),
      adapted: adaptSchema(inputSchema, profile),
    }));
    return {
      api,
      leftOut: fits.flatMap(({ tool, adapted }) => (adapted.ok ? [] : [{ tool, reason: shown(adapted.reason) }])),
      adapted: fits.flatMap(({ tool, adapted }) =>
        adapted.ok && adapted.changes.length > 0
          ? [{ tool, changes: adapted.changes.slice(0, mostChanges).map(shown) }]
          : [],
      ),
    };
  });
}

const mostChanges = 20;

function shown(text: string): string {
  return terminalLine(text, 200);
}
