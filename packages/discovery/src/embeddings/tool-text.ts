import type { ToolDefinition } from "@hostside/core";
import { cleanText } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { stripPreface } from "../catalog/strip-preface.ts";

// About 500 tokens: what models are made for, and what a tool says after that is about details.
const maxLength = 2000;
const maxDescription = 1600;
const maxParameters = 40;

/**
 * What is embedded of a tool: its server, name, title and description, and what its parameters are
 * called. Bounded, and without what nobody can see.
 */
export function toolText(definition: ToolDefinition): string {
  const { name, title, annotations, origin, inputSchema } = definition;
  const { properties } = inputSchema;
  const parameters = isJsonObject(properties) ? Object.keys(properties).slice(0, maxParameters) : [];
  const names = [origin?.serverId, origin?.toolName ?? name, title ?? annotations?.title];
  const lines = [
    names.filter((text) => text !== undefined && text !== "").join(": "),
    stripPreface(definition).slice(0, maxDescription),
    parameters.length === 0 ? "" : `Parameters: ${parameters.join(", ")}`,
  ];
  return cleanText(lines.filter((line) => line !== "").join("\n"), maxLength);
}
