import { cleanText, type JsonObject } from "@hostside/core";
import { isJsonObject, kindOf } from "@hostside/core/implement";

/** The name of the tool that calls others. */
export const toolsCallName = "tools_call";

/** The tool that calls others: for hosts that list once, and never see what was selected since. */
export const toolsCallTool: JsonObject = {
  name: toolsCallName,
  description:
    "Calls a tool by its exact name, as tools_search or tools_select gave it, with arguments that fit its parameters. Use it for a tool that you found and that you cannot call " +
    "directly.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "Exact name of the tool." },
      arguments: { type: "object", description: "Its arguments." },
    },
    required: ["name"],
    additionalProperties: false,
  },
};

function invalid(what: string): { readonly problem: string } {
  return { problem: `Invalid input: ${what}; pass {"name": "the_tool", "arguments": {…}}` };
}

/** What it is to call; a text says what is wrong with its arguments. */
export function readToolsCall(
  args: unknown,
): { readonly name: string; readonly args: unknown } | { readonly problem: string } {
  if (!isJsonObject(args)) return invalid("arguments must be a JSON object");
  const { name, arguments: inner, ...others } = args;
  if (typeof name !== "string" || name.trim() === "") return invalid("`name` must be the exact name of a tool");
  if (name === toolsCallName) return invalid("tools_call does not call itself");
  const [other] = Object.keys(others);
  if (other !== undefined) return invalid(`unknown \`${cleanText(other, 80)}\``);
  if (inner === undefined || inner === null || isJsonObject(inner))
    return { name: name.trim(), args: inner ?? undefined };
  return invalid(`\`arguments\` must be a JSON object, not ${kindOf(inner)}`);
}
