import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import {
  annotationKeywords,
  hasShape,
  isSchema,
  keywordShapes,
  memberOf,
  propertiesOf,
  requiredOf,
  subschemasOf,
  typesOf,
} from "./keywords.ts";
import { isPlainPattern } from "./plain-pattern.ts";
import { isLegalPropertyName } from "./property-names.ts";
import { findCycles, resolveRef } from "./resolve-ref.ts";
import type { SchemaRules } from "./schema-profile.ts";

/** What is looked at, and what was found so far. */
interface Look {
  readonly root: JsonObject;
  readonly rules: SchemaRules;
  readonly found: Set<string>;
  readonly counts: { properties: number; enumValues: number; textLength: number; depth: number };
}

/**
 * Why an API would refuse a schema, in words, each reason once; none where it takes it. The size of
 * the schema was looked at before (`tooLarge`).
 */
export function findSchemaRefusals(root: JsonObject, rules: SchemaRules): readonly string[] {
  const look: Look = {
    root,
    rules,
    found: new Set(),
    counts: { properties: 0, enumValues: 0, textLength: 0, depth: 0 },
  };
  if (typesOf(root)?.join() !== "object") look.found.add("arguments that are no object");
  lookAt(root, { depth: 1, isRoot: true }, look);
  lookAtRefs(look);
  const { maxDepth, maxProperties, maxEnumValues, maxTextLength } = rules;
  const { depth, properties, enumValues, textLength } = look.counts;
  const over = (limit: { readonly value: number } | undefined, count: number, what: string): void => {
    if (limit !== undefined && count > limit.value) look.found.add(`more than ${limit.value} ${what}`);
  };
  over(maxDepth, depth, "levels");
  over(maxProperties, properties, "properties");
  over(maxEnumValues, enumValues, "values of enum");
  over(maxTextLength, textLength, "characters of names and values");
  return Array.from(look.found);
}

/** Where a schema stands, and whether it is that of the arguments themselves. */
interface Level {
  readonly depth: number;
  readonly isRoot: boolean;
}

function lookAt(schema: JsonObject, { depth, isRoot }: Level, look: Look): void {
  look.counts.depth = Math.max(look.counts.depth, depth);
  lookAtKeywords(schema, isRoot, look);
  lookAtTypes(schema, look);
  lookAtValues(schema, look);
  lookAtProperties(schema, isRoot, look);
  for (const { keyword, schema: sub } of subschemasOf(schema)) {
    if (isJsonObject(sub)) lookAt(sub, { depth: isBesides(keyword) ? depth : depth + 1, isRoot: false }, look);
    else if (typeof sub === "boolean" && keyword !== "additionalProperties") {
      look.found.add("true or false as a schema");
    }
  }
}

// Definitions are no level of what refers to them, and a union is as deep as its parts.
function isBesides(keyword: string): boolean {
  return keyword === "$defs" || keyword === "definitions" || keyword === "anyOf" || keyword === "allOf";
}

function lookAtKeywords(schema: JsonObject, isRoot: boolean, { rules, found }: Look): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (!hasShape(keyword, value)) found.add(`${keyword} of a wrong kind`);
    if (rules.keywords !== undefined && !rules.keywords.value.includes(keyword)) found.add(nameOf(keyword));
    for (const { value: refused } of rules.refused) {
      const isHere = refused.at === "anywhere" || (refused.at === "root") === isRoot;
      if (isHere && refused.keywords.includes(keyword)) found.add(isRoot ? `${keyword} at the root` : keyword);
    }
  }
}

// A server chooses the names of the others.
function nameOf(keyword: string): string {
  return keywordShapes.has(keyword) || annotationKeywords.has(keyword) ? keyword : "keywords that are not known";
}

function lookAtTypes(schema: JsonObject, { rules, found }: Look): void {
  const types = typesOf(schema);
  if (rules.nullable !== undefined && (Array.isArray(schema["type"]) || types?.includes("null") === true)) {
    found.add("a list of types, or null as one");
  }
  if (rules.needsType !== undefined && types === undefined && !isTypedOtherwise(schema)) found.add("no type");
  if (rules.needsItems !== undefined && types?.includes("array") === true && schema["items"] === undefined) {
    found.add("an array without items");
  }
  if (rules.needsProperties !== undefined && types?.includes("object") === true && schema["properties"] === undefined) {
    found.add("an object without properties");
  }
  if (rules.loneUnions !== undefined && schema["anyOf"] !== undefined && Object.keys(schema).length > 1) {
    found.add("anyOf beside others");
  }
  if (rules.closed !== undefined && isObjectSchema(schema) && schema["additionalProperties"] !== false) {
    found.add("an object that is not closed");
  }
}

function isTypedOtherwise(schema: JsonObject): boolean {
  return ["anyOf", "$ref", "enum", "const", "allOf"].some((keyword) => schema[keyword] !== undefined);
}

/** Whether a schema is about objects. */
export function isObjectSchema(schema: JsonObject): boolean {
  return typesOf(schema)?.includes("object") ?? schema["properties"] !== undefined;
}

function lookAtValues(schema: JsonObject, { rules, found, counts }: Look): void {
  const values = [
    ...(Array.isArray(schema["enum"]) ? (schema["enum"] as readonly unknown[]) : []),
    ...("const" in schema ? [schema["const"]] : []),
  ];
  if (Array.isArray(schema["enum"])) counts.enumValues += schema["enum"].length;
  for (const value of values) {
    if (typeof value === "string") counts.textLength += value.length;
    if (rules.enums?.value === "texts" && typeof value !== "string") found.add("values of enum that are no texts");
    if (rules.enums !== undefined && typeof value === "object" && value !== null)
      found.add("objects as values of enum");
  }
  const { format, pattern, minItems } = schema;
  if (rules.formats !== undefined && typeof format === "string" && !rules.formats.value.includes(format)) {
    found.add("a format that is not known");
  }
  if (rules.plainPatterns !== undefined && typeof pattern === "string" && !isPlainPattern(pattern)) {
    found.add("a pattern that looks around or back");
  }
  if (rules.maxMinItems !== undefined && typeof minItems === "number" && minItems > rules.maxMinItems.value) {
    found.add(`minItems above ${rules.maxMinItems.value}`);
  }
}

function lookAtProperties(schema: JsonObject, isRoot: boolean, { rules, found, counts }: Look): void {
  const properties = propertiesOf(schema);
  const required = new Set(requiredOf(schema));
  counts.properties += properties.size;
  for (const name of properties.keys()) {
    counts.textLength += name.length;
    const { propertyNames } = rules;
    if (propertyNames !== undefined && (isRoot || propertyNames.value.at === "anywhere")) {
      if (!isLegalPropertyName(name, propertyNames.value)) found.add("names of properties");
    }
    if (rules.allRequired !== undefined && !required.has(name)) found.add("properties that may be left out");
  }
  if (rules.needsDeclared !== undefined) {
    for (const name of required) if (!properties.has(name)) found.add("a required property that is not declared");
  }
  for (const keyword of ["$defs", "definitions"]) {
    const names = memberOf(schema, keyword);
    if (isJsonObject(names)) for (const name of Object.keys(names)) counts.textLength += name.length;
  }
}

function lookAtRefs({ root, rules, found }: Look): void {
  const refs = new Set<string>();
  const waiting: JsonObject[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const ref = node["$ref"];
    if (typeof ref === "string") refs.add(ref);
    if (["$dynamicRef", "$recursiveRef"].some((keyword) => node?.[keyword] !== undefined)) found.add("a dynamic $ref");
    for (const { schema } of subschemasOf(node))
      if (isSchema(schema) && typeof schema !== "boolean") waiting.push(schema);
  }
  if (refs.size === 0) return;
  if (rules.refs.value === "none") found.add("$ref");
  for (const ref of refs)
    if (resolveRef(root, ref) === undefined) found.add("a $ref that leads out of the schema or nowhere");
  if (rules.refs.value === "local" && findCycles(root).size > 0) found.add("a $ref that leads back to itself");
}
