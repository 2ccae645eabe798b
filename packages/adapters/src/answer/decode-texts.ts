import type { JsonObject } from "@hostside/core";
import { findLostNumber, isJsonObject } from "@hostside/core/implement";

const mostLevels = 8;

/**
 * Arguments with texts decoded that a model wrote in place of another type: `"[1]"` for a list,
 * `"10"` for a number. Only where the schema takes no text, and the text is JSON of a type that it
 * takes. The very same where there are none.
 */
export function decodeTexts(args: unknown, schema: JsonObject, level = 0): unknown {
  if (level >= mostLevels) return args;
  if (typeof args === "string") return decode(args, typesOf(schema));
  if (Array.isArray(args)) {
    const { items } = schema;
    return isJsonObject(items)
      ? same(
          args,
          args.map((item) => decodeTexts(item, items, level + 1)),
        )
      : args;
  }
  const { properties } = schema;
  if (!isJsonObject(args) || !isJsonObject(properties)) return args;
  const entries = Object.entries(args).map(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, isJsonObject(property) ? decodeTexts(value, property, level + 1) : value] as const;
  });
  // fromEntries defines members, so that no name of the model's can be special.
  return entries.every(([name, value]) => args[name] === value) ? args : Object.fromEntries(entries);
}

function same(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}

function typesOf({ type }: JsonObject): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function decode(text: string, types: readonly unknown[]): unknown {
  // Without a type, or by one that this does not know, a text may be meant.
  if (types.includes("string") || !types.every((type) => typeof type === "string")) return text;
  try {
    const value: unknown = JSON.parse(text);
    return types.some((type) => isOf(value, type)) && findLostNumber(text) === undefined ? value : text;
  } catch {
    return text;
  }
}

function isOf(value: unknown, type: unknown): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    default:
      return false;
  }
}
