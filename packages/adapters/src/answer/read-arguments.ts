import { ToolportError } from "@toolport/core";
import { quoteText } from "@toolport/core/implement";

/**
 * The arguments of a model's call: JSON text is parsed, no text at all is no arguments, and what is no text is taken as it is. Throws
 * `invalid_arguments` for a text that is no JSON, with the place where it stops being JSON, and for one that is a text inside a text.
 */
export function readArguments(args: unknown, toolName: string): unknown {
  if (typeof args !== "string") return args;
  if (args.trim() === "") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch (error) {
    throw noJson(`the arguments are no JSON${placeOf(error)}`, toolName);
  }
  if (typeof parsed === "string")
    throw noJson("the arguments must be a JSON object, not a JSON text inside a text", toolName);
  return parsed;
}

function placeOf(error: unknown): string {
  return error instanceof Error ? `: ${quoteText(error.message, 200)}` : "";
}

function noJson(message: string, toolName: string): ToolportError {
  const violations = [{ path: "", message }];
  return new ToolportError(message, { code: "invalid_arguments", toolName, details: { violations } });
}
