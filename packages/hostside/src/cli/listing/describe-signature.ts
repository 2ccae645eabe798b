import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { terminalLine } from "../render/one-line.ts";

const mostProperties = 12;
const mostChoices = 6;
const deepest = 3;
const longest = 240;

/**
 * What a tool takes and returns, as TypeScript would say it in a line; `undefined` where that would
 * be no help: too long, too deep, or nothing that is known.
 */
export function describeSignature(
  name: string,
  { inputSchema, outputSchema }: { readonly inputSchema: JsonObject; readonly outputSchema?: JsonObject | undefined },
): string | undefined {
  const input = isEmptyObject(inputSchema) ? "" : typeOf(inputSchema, 0);
  const output = outputSchema === undefined ? undefined : typeOf(outputSchema, 0);
  if (input === undefined) return undefined;
  const whole = `${name}(${input})${output === undefined ? "" : `: ${output}`}`;
  const line = terminalLine(whole.length <= longest ? whole : `${name}(${input})`, longest + 1);
  return line.length <= longest ? line : undefined;
}

function isEmptyObject({ type, properties, additionalProperties }: JsonObject): boolean {
  const hasNone = properties === undefined || (isJsonObject(properties) && Object.keys(properties).length === 0);
  return type === "object" && hasNone && !isJsonObject(additionalProperties);
}

/** A schema as a type; `undefined` for what is not simple. */
function typeOf(schema: JsonValue | undefined, depth: number): string | undefined {
  if (!isJsonObject(schema) || depth > deepest || "$ref" in schema || "allOf" in schema) return undefined;
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return unionOf(schema["enum"].map((value) => JSON.stringify(value)));
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return unionOf(choices.map((choice) => typeOf(choice, depth + 1)));
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((one) => typeOf({ ...schema, type: one }, depth)));
  switch (type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return type;
    case "integer":
      return "number";
    case "array": {
      const item = schema["items"] === undefined ? "unknown" : typeOf(schema["items"], depth + 1);
      if (item === undefined) return undefined;
      return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return objectOf(schema, depth);
    default:
      return type === undefined && Object.keys(schema).every((key) => texts.has(key)) ? "unknown" : undefined;
  }
}

const texts: ReadonlySet<string> = new Set(["title", "description", "default", "examples"]);

function objectOf({ properties, required }: JsonObject, depth: number): string | undefined {
  if (properties === undefined) return "object";
  if (!isJsonObject(properties)) return undefined;
  const names = Object.keys(properties);
  if (names.length > mostProperties) return undefined;
  const isRequired = new Set<unknown>(Array.isArray(required) ? required : []);
  const members = names.map((name) => {
    const type = typeOf(properties[name], depth + 1);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return type === undefined ? undefined : `${key}${isRequired.has(name) ? "" : "?"}: ${type}`;
  });
  if (members.includes(undefined)) return undefined;
  return members.length === 0 ? "object" : `{ ${members.join("; ")} }`;
}

function unionOf(types: readonly (string | undefined)[]): string | undefined {
  const different = [...new Set(types)];
  if (different.includes(undefined) || different.length === 0 || different.length > mostChoices) return undefined;
  return different.join(" | ");
}
