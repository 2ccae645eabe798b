import type { ToolDefinition } from "@hostside/core";
import { getEncoding } from "js-tiktoken";

const encoding = getEncoding("o200k_base");
const known = new WeakMap<ToolDefinition, number>();

/** Tokens of a text by the `o200k_base` tokenizer. */
export function countTokens(text: string): number {
  return encoding.encode(text).length;
}

/** What definitions cost that are declared as functions. */
export function countDeclared(definitions: readonly ToolDefinition[]): number {
  return definitions.reduce((sum, definition) => sum + countOne(definition), 0);
}

function countOne(definition: ToolDefinition): number {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const { name, description, inputSchema } = definition;
  const tokens = countTokens(JSON.stringify({ name, description, parameters: inputSchema }));
  known.set(definition, tokens);
  return tokens;
}
