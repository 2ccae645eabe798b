import { cleanText, type JsonObject } from "@hostside/core";
import { isJsonObject, kindOf } from "@hostside/core/implement";

/** The names of the tools that call others. */
export type ToolCaller = "tools_read" | "tools_call";

const inputSchema: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", description: "Exact name of the tool." },
    arguments: { type: "object", description: "Its arguments." },
  },
  required: ["name"],
  additionalProperties: false,
};
const how =
  "by its exact name, as tools_search or tools_select gave it, with arguments that fit its parameters. Use it for a tool that you found and that you cannot call directly.";

/** The tools that call others: for hosts that list once, and never see what was selected since. */
export const toolCallers: readonly (JsonObject & { readonly name: ToolCaller })[] = [
  {
    name: "tools_read",
    description: `Calls a tool that changes nothing, ${how} Other tools are refused: call them with tools_call.`,
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  {
    name: "tools_call",
    description: `Calls any tool ${how} Prefer tools_read for a tool that only reads.`,
    inputSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
];

function invalid(what: string): { readonly problem: string } {
  return { problem: `Invalid input: ${what}; pass {"name": "the_tool", "arguments": {…}}` };
}

/** Reads the tool to call; `problem` says what is wrong with the arguments. */
export function readToolsCall(
  caller: ToolCaller,
  args: unknown,
): { readonly name: string; readonly args: unknown } | { readonly problem: string } {
  if (!isJsonObject(args)) return invalid("arguments must be a JSON object");
  const { name, arguments: inner, ...others } = args;
  if (typeof name !== "string" || name.trim() === "") return invalid("`name` must be the exact name of a tool");
  if (toolCallers.some((tool) => tool.name === name.trim())) return invalid(`${caller} does not call ${name.trim()}`);
  const [other] = Object.keys(others);
  if (other !== undefined) return invalid(`unknown \`${cleanText(other, 80)}\``);
  if (inner === undefined || inner === null || isJsonObject(inner))
    return { name: name.trim(), args: inner ?? undefined };
  return invalid(`\`arguments\` must be a JSON object, not ${kindOf(inner)}`);
}
