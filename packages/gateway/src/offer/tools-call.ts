import type { JsonObject } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";

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

/** What it is to call; a text says what is wrong with its arguments. */
export function readToolsCall(
  args: unknown,
): { readonly name: string; readonly args: unknown } | { readonly problem: string } {
  if (!isJsonObject(args)) return { problem: "Invalid input: arguments must be a JSON object" };
  const { name, arguments: inner } = args;
  if (typeof name !== "string" || name === "") return { problem: "Invalid input: name must be the name of a tool" };
  if (name === toolsCallName) return { problem: "Invalid input: tools_call does not call itself" };
  return { name, args: inner };
}
