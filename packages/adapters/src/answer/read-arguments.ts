import { HostsideError, type JsonObject } from "@hostside/core";
import { findLostNumber, isJsonObject, lostDigitsError } from "@hostside/core/implement";
import type { DeclaredTool } from "../declare/declare-tools.ts";

/**
 * The arguments of a model's call as they are sent: JSON text is parsed, no text at all is no
 * arguments, and what is no text is taken as it is. Throws `invalid_arguments` for a text that is
 * not valid JSON, for a text inside a text, and for a number that
 * would lose digits.
 */
export function readArguments(tool: DeclaredTool, given: unknown): unknown {
  const { name } = tool;
  if (typeof given !== "string") return tool.restore(given);
  if (given.trim() === "") return tool.restore({});
  let parsed: unknown;
  try {
    parsed = JSON.parse(given);
  } catch (error) {
    // The rest of the message may quote the arguments.
    const place = error instanceof Error ? /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message) : null;
    throw invalidArguments(`the arguments are not valid JSON${place === null ? "" : `: error ${place[0]}`}`, name);
  }
  if (typeof parsed === "string")
    throw invalidArguments("the arguments must be a JSON object, not a JSON text inside a text", name);
  const lost = findLostNumber(given);
  if (lost !== undefined) throw lostDigitsError(lost, { serverId: "", toolName: name });
  return tool.restore(parsed);
}

function invalidArguments(message: string, toolName: string): HostsideError {
  const violations = [{ path: "", message }];
  return new HostsideError(message, { code: "invalid_arguments", toolName, details: { violations } });
}

const mostLevels = 8;

/**
 * Arguments in which a text that a model wrote in place of another type is decoded: `"[1]"` for a
 * list, `"10"` for a number. Only where the tool's schema takes no text, and the text is JSON of a
 * type that it takes.
 */
export function decodeTexts(args: unknown, schema: unknown, level: number = 0): unknown {
  if (level > mostLevels || !isJsonObject(schema)) return args;
  if (typeof args === "string") return decode(args, schema);
  const { items, properties } = schema;
  if (Array.isArray(args)) {
    const read = args.map((item: unknown) => decodeTexts(item, items, level + 1));
    return read.every((item, at) => item === args[at]) ? args : read;
  }
  if (!isJsonObject(args) || !isJsonObject(properties)) return args;
  const entries = Object.entries(args).map(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, decodeTexts(value, property, level + 1)] as const;
  });
  // fromEntries defines members, so that no name of the model's can be special.
  return entries.every(([name, value]) => args[name] === value) ? args : Object.fromEntries(entries);
}

function decode(text: string, { type }: JsonObject): unknown {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  // Without a type, or by an unknown one, a text may be meant.
  if (types.includes("string") || !types.every((one) => typeof one === "string")) return text;
  try {
    const value: unknown = JSON.parse(text);
    return types.some((one) => isOf(value, one)) && findLostNumber(text) === undefined ? value : text;
  } catch {
    return text;
  }
}

function isOf(value: unknown, type: unknown): boolean {
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type && value !== "";
}
