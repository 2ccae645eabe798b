import { HostsideError } from "@hostside/core";
import { locateJsonError } from "./locate-json-error.ts";

/**
 * The arguments of a model's call: JSON text is parsed, no text at all is no arguments, and what is
 * no text is taken as it is. Throws `invalid_arguments` for a text that is no JSON, with the place
 * where it stops being JSON, and for one that is a text inside a text.
 */
export function readArguments(args: unknown, toolName: string): unknown {
  if (typeof args !== "string") return args;
  if (args.trim() === "") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch {
    throw noJson(`the arguments are no JSON${placeOf(args)}`, toolName);
  }
  if (typeof parsed === "string")
    throw noJson("the arguments must be a JSON object, not a JSON text inside a text", toolName);
  return parsed;
}

function placeOf(text: string): string {
  const place = locateJsonError(text);
  // Nested too deep for the runtime to read.
  if (place === undefined) return " that can be read";
  return `: at line ${place.line}, column ${place.column}, there should be ${place.expected}`;
}

function noJson(message: string, toolName: string): HostsideError {
  const violations = [{ path: "", message }];
  return new HostsideError(message, { code: "invalid_arguments", toolName, details: { violations } });
}
