import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

// What was seen to be refused when a tool is declared, each time with the whole request. Only what
// no API mends by itself.
const combinators = ["anyOf", "oneOf", "allOf"];

/**
 * What model APIs refuse about an input schema, as they stand today, one phrase for each reason:
 * ``no `type` (OpenAI, Anthropic)``. Empty for a schema that all of them are known to take. The
 * schema is not changed: what to send instead depends on the API.
 */
export function findModelApiRefusals(schema: JsonObject): readonly string[] {
  const refusals: string[] = [];
  const { type, properties } = schema;
  if (type === undefined) refusals.push("no `type` (OpenAI, Anthropic)");
  else if (type !== "object") refusals.push('a `type` that is not "object" (OpenAI, Anthropic, Gemini)');
  if (properties !== undefined && !isJsonObject(properties)) refusals.push("`properties` that are none (all)");
  for (const keyword of combinators) {
    if (schema[keyword] !== undefined) refusals.push(`\`${keyword}\` at the top (OpenAI, Anthropic)`);
  }
  for (const keyword of ["enum", "not"]) {
    if (schema[keyword] !== undefined) refusals.push(`\`${keyword}\` at the top (OpenAI)`);
  }
  return [...refusals, ...findInside(schema)];
}

// Far above honest schemas; what comes behind is not looked at.
const mostParts = 10_000;

const ofOne: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);
// A property may be called like a keyword, so members of `properties` and the like are schemas and
// nothing else.
const ofSeveral: ReadonlySet<string> = new Set([...combinators, "prefixItems", "properties", "$defs", "definitions"]);

// Goes by a list of its own, because how deep a schema is depends on the connector.
function findInside(root: JsonObject): ReadonlySet<string> {
  const parts: JsonObject[] = [root];
  const found = new Set<string>();
  for (let index = 0; index < parts.length && index < mostParts; index += 1) {
    const part = parts[index];
    if (part === undefined) continue;
    const { type, items, prefixItems } = part;
    const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
    if (isArray && items === undefined && prefixItems === undefined)
      found.add("an array without `items` (OpenAI, Gemini)");
    // By what there is, not by what there could be: most parts have two members or three.
    for (const keyword of Object.keys(part)) {
      const value = part[keyword];
      if (!ofOne.has(keyword) && !ofSeveral.has(keyword)) continue;
      const schemas: readonly unknown[] = ofOne.has(keyword) ? [value] : membersOf(value);
      for (const schema of schemas) {
        if (isJsonObject(schema)) parts.push(schema);
        else if (typeof schema === "boolean" && keyword !== "additionalProperties") {
          found.add("`true` or `false` as a schema (several)");
        }
      }
    }
  }
  return found;
}

function membersOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}
