import type { SchemaProfile } from "@hostside/adapters";
import type { JsonObject } from "@hostside/core";
import { hasShape, isJsonObject, isSchema, mapSchemas } from "@hostside/core/implement";

/**
 * Why an API would refuse a schema, by its profile. Written without the adaptation, as a judge of
 * it.
 */
export function findRefusals(root: JsonObject, profile: SchemaProfile): readonly string[] {
  const found = new Set<string>();
  if (root["type"] !== "object") found.add("arguments that are no object");
  const look = (schema: JsonObject, depth: number, isRoot: boolean): void => {
    if (profile.maxDepth !== undefined && depth > profile.maxDepth) found.add(`more than ${profile.maxDepth} levels`);
    lookAtKeywords(schema, isRoot);
    lookAtValues(schema, isRoot);
    mapSchemas(schema, (sub, keyword) => {
      if (!isSchema(sub)) return sub;
      const isBeside = ["$defs", "definitions", "anyOf", "allOf"].includes(keyword);
      if (typeof sub !== "boolean") look(sub, isBeside ? depth : depth + 1, false);
      else if (keyword !== "additionalProperties") found.add("true or false as a schema");
      return sub;
    });
  };
  const lookAtKeywords = (schema: JsonObject, isRoot: boolean): void => {
    const { refused = [], refusedAtRoot, keywords, takesRefs } = profile;
    for (const [keyword, value] of Object.entries(schema)) {
      if (!hasShape(keyword, value)) found.add(`${keyword} of a wrong kind`);
      const isRef = ["$ref", "$defs", "definitions"].includes(keyword);
      if (isRef ? !takesRefs : keywords?.includes(keyword) === false) found.add(keyword);
      if (refused.includes(keyword) || (isRoot && refusedAtRoot.includes(keyword))) found.add(keyword);
      if (keyword === "$ref" && typeof value === "string" && !resolves(value))
        found.add("a $ref that leads out of the schema or nowhere");
    }
  };
  const resolves = (ref: string): boolean => {
    if (ref === "#") return true;
    let at: unknown = root;
    for (const token of ref.startsWith("#/") ? ref.slice(2).split("/") : [""]) {
      const name = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
      at = typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
    }
    return typeof at === "boolean" || isJsonObject(at);
  };
  const lookAtValues = (schema: JsonObject, isRoot: boolean): void => {
    const { isTyped, needsItems, needsProperties, enums, formats, plainPatterns, propertyNames } = profile;
    const { type, format, pattern, required = [], properties = {}, items, anyOf } = schema;
    const types: readonly unknown[] = [type].flat();
    if (isTyped && type === undefined && anyOf === undefined) found.add("no type");
    if (isTyped && anyOf !== undefined && Object.keys(schema).some((one) => !["anyOf", "description"].includes(one)))
      found.add("anyOf beside others");
    if (needsItems && types.includes("array") && items === undefined) found.add("an array without items");
    if (needsProperties && types.includes("object") && !("properties" in schema)) found.add("no properties");
    for (const value of (schema["enum"] as readonly unknown[] | undefined) ?? []) {
      if (enums === "texts" ? typeof value !== "string" : enums && typeof value === "object" && value !== null)
        found.add("values of enum");
    }
    if (formats && typeof format === "string" && !formats.includes(format)) found.add("a format");
    if (plainPatterns && typeof pattern === "string" && /\(\?<?[=!]|\\[1-9k]/.test(pattern))
      found.add("a pattern that looks around");
    const names = Object.keys(properties as object);
    if (propertyNames && (isRoot || !profile.onlyRootNames) && !names.every((name) => propertyNames.test(name)))
      found.add("names of properties");
    if (isTyped && !(required as readonly string[]).every((name) => names.includes(name))) found.add("not declared");
  };
  look(root, 1, true);
  return Array.from(found);
}
