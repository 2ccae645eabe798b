import type { JsonObject } from "@hostside/core";
import { canonicalJson, isJsonObject } from "@hostside/core/implement";
import { CannotAdapt, note, takes, type Adaptation } from "./adaptation.ts";
import { hashName } from "./hash-name.ts";
import {
  annotationKeywords,
  hasShape,
  isSchema,
  keywordShapes,
  mapSchemas,
  propertiesOf,
  putInWords,
  requiredOf,
  schemasOf,
  toObject,
  typesOf,
  without,
  withMembers,
  type Schema,
  describe,
} from "./keywords.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { expandRef, resolveRef } from "./references.ts";

const mostDepth = 256;

/** A schema as an API takes it; the very same where the API takes that. */
export function fitSchema(given: Schema, before: Position, work: Adaptation): JsonObject {
  if (before.depth > mostDepth) throw new CannotAdapt(`a schema nested more than ${mostDepth} deep`);
  const { schema, open } = placeRef(given, before, work);
  if (typeof schema === "boolean") return fitBoolean(schema, work);
  let { node, at }: Placed = { node: dropMalformed(schema, work), at: { ...before, open } };
  if (at.isRoot) node = withObjectType(node, work);
  ({ node, at } = fitCombinations({ node, at }, work));
  node = fitValues(node, work);
  node = dropKeywords(prune(node, at, work), at, work);
  node = fitTypes(node, work);
  node = fitInside({ node, at }, work);
  return at.isRoot || work.profile.onlyRootNames !== true ? renameProperties(node, work) : node;
}

function placeRef(given: Schema, { isRoot, open }: Position, work: Adaptation): ReturnType<typeof expandRef> {
  if (typeof given === "boolean" || typeof given["$ref"] !== "string") return { schema: given, open };
  const isKept = work.keepsRefs && !isRoot && resolveRef(work.root, given["$ref"]) !== undefined;
  if (!isKept) return expandRef(given, open, work);
  work.refs.add(given["$ref"]);
  return { schema: given, open };
}

function fitBoolean(schema: boolean, work: Adaptation): JsonObject {
  note(work, `${schema} as a schema written as an object`);
  if (schema) return work.profile.isTyped === true ? anyValue({}) : {};
  return takes(work, "not", false) ? { not: {} } : { type: "string", description: "Never given." };
}

function dropMalformed(node: JsonObject, work: Adaptation): JsonObject {
  const dynamic = ["$dynamicRef", "$recursiveRef"];
  const wrong = Object.keys(node).filter(
    (keyword) => !hasShape(keyword, node[keyword]) || dynamic.includes(keyword) || keyword === "dependencies",
  );
  for (const keyword of wrong) note(work, `${keyword} of a wrong kind left out`);
  if (wrong.length === 0) return node;
  const properties = propertiesOf(node);
  const kept = putInWords(node, wrong);
  return wrong.includes("properties") && properties.size > 0
    ? withMembers(kept, { properties: toObject(properties) })
    : kept;
}

function withObjectType(root: JsonObject, work: Adaptation): JsonObject {
  if (root["type"] === "object") return root;
  if (typesOf(root)?.includes("object") === false) throw new CannotAdapt("arguments that are no object");
  note(work, "the type object named");
  return withMembers(root, { type: "object" });
}

function fitValues(schema: JsonObject, work: Adaptation): JsonObject {
  const { enums, formats, plainPatterns } = work.profile;
  let node = schema;
  const lose = (keyword: string, what: string): void => {
    note(work, `${what} left out`);
    node = putInWords(node, [keyword]);
  };
  if ("const" in node && !takes(work, "const", false)) {
    note(work, "const written as enum");
    node = withMembers(without(node, "const"), { enum: node["enum"] ?? [node["const"]] });
  }
  const values = node["enum"];
  if (enums !== undefined && Array.isArray(values)) {
    const others = values.filter((one) => typeof one !== "string" && (enums === "texts" || typeof one === "object"));
    const isNullable = others.length === 1 && others[0] === null && values.length > 1;
    if (enums === "texts" && isNullable) {
      note(work, "null taken out of enum");
      const texts = values.filter((one) => one !== null);
      const { description } = node;
      node = toObject([
        ["description", description],
        ["anyOf", [withMembers(without(node, "description"), { type: "string", enum: texts }), { type: "null" }]],
      ]);
    } else if (others.some((one) => one !== null || enums === "texts")) lose("enum", "enum of other values");
    else if (enums === "texts" && node["type"] === undefined) node = withMembers(node, { type: "string" });
  }
  const { format, pattern } = node;
  if (formats !== undefined && typeof format === "string" && !formats.includes(format)) lose("format", "format");
  if (plainPatterns === true && typeof pattern === "string" && /\((?:\?<?[=!])|\\[1-9k]/.test(pattern))
    lose("pattern", "a pattern that looks around or back");
  return node;
}

function prune(node: JsonObject, { depth }: Position, work: Adaptation): JsonObject {
  const { maxDepth = mostDepth } = work.profile;
  if (depth < maxDepth - 1) return node;
  const deep = Object.keys(node).filter((keyword) => keywordShapes.get(keyword)?.startsWith("schema") === true);
  if (deep.length === 0) return node;
  note(work, `what is nested more than ${maxDepth} deep left out`);
  const flat = putInWords(node, [...deep, "required"]);
  return typesOf(node) === undefined ? withMembers(flat, { type: "string" }) : flat;
}

function dropKeywords(node: JsonObject, { isRoot }: Position, work: Adaptation): JsonObject {
  const isKept = (keyword: string): boolean =>
    keyword === "$defs" || keyword === "definitions" || keyword === "$ref"
      ? work.keepsRefs
      : takes(work, keyword, isRoot);
  const lost = Object.keys(node).filter((keyword) => !isKept(keyword));
  for (const keyword of lost) {
    const isKnown = keywordShapes.has(keyword) || annotationKeywords.has(keyword) || keyword === "default";
    note(work, `${isKnown ? keyword : "keywords that are not known"} left out`);
  }
  if (lost.includes("if")) lost.push("then", "else");
  return lost.length === 0 ? node : putInWords(node, lost);
}

const families: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "additionalProperties", "required"]],
  ["array", ["items", "minItems", "maxItems"]],
  ["string", ["format"]],
  ["number", ["minimum", "maximum"]],
];

/** A schema that names its type, and has what the API wants beside it. */
function fitTypes(schema: JsonObject, work: Adaptation): JsonObject {
  const { isTyped, needsItems, needsProperties } = work.profile;
  let node = schema;
  if (isTyped === true && typesOf(node) === undefined && node["anyOf"] === undefined) {
    const meant = families.find(([, keywords]) => keywords.some((keyword) => node[keyword] !== undefined));
    note(
      work,
      meant === undefined ? "a value of any type written as a union of types" : "the type that is meant named",
    );
    node = meant === undefined ? anyValue(node) : withMembers(node, { type: meant[0] });
  }
  const types = typesOf(node) ?? [];
  if (needsItems === true && types.includes("array") && node["items"] === undefined) {
    note(work, "items added");
    node = withMembers(node, { items: {} });
  }
  if (needsProperties === true && types.includes("object") && node["properties"] === undefined) {
    note(work, "properties added");
    node = withMembers(node, { properties: {} });
  }
  const properties = propertiesOf(node);
  const missing = requiredOf(node).filter((name) => !properties.has(name));
  if (isTyped === true && missing.length > 0) {
    note(work, "required names declared");
    node = withMembers(node, {
      properties: toObject([...properties, ...missing.map((name) => [name, anyValue({})] as const)]),
    });
  }
  return node;
}

/** A schema that takes about any value, where each schema has to say its type. */
function anyValue(node: JsonObject): JsonObject {
  const [first, ...others] = ["string", "number", "boolean", "null"].map((type) => ({ type }));
  const open = [
    { type: "object", properties: {} },
    { type: "array", items: { type: "string" } },
  ];
  return { anyOf: [{ ...first, ...node }, ...others, ...open] };
}

/** Fits the schemas inside one. */
function fitInside({ node: given, at }: Placed, work: Adaptation): JsonObject {
  let node = given;
  const inner = (keyword: string): Position => {
    const isBeside = keyword === "anyOf" || keyword === "allOf" || keyword === "oneOf";
    return { isRoot: false, depth: at.depth + (isBeside ? 0 : 1), open: at.open };
  };
  const fitted = new Set<string>();
  const isUnchanged = (keyword: string, schemas: readonly Schema[]): boolean => {
    fitted.add(keyword);
    const trial = { ...work, changes: new Set<string>() };
    return schemas.every((sub) => fitSchema(sub, inner(keyword), trial) === sub);
  };
  // A schema that takes more would make the whole take less.
  for (const keyword of ["not", "if", ...(node["maxContains"] === undefined ? [] : ["contains"])]) {
    const sub = node[keyword];
    if (!isSchema(sub) || (keyword === "not" && isEmpty(sub)) || isUnchanged(keyword, [sub])) continue;
    note(work, `${keyword} left out`);
    node = putInWords(node, keyword === "if" ? ["if", "then", "else"] : [keyword, "maxContains"]);
  }
  if (node["oneOf"] !== undefined && !isUnchanged("oneOf", schemasOf(node, "oneOf"))) {
    note(work, "oneOf written as anyOf");
    fitted.delete("oneOf");
    const rest = without(node, "oneOf");
    node = node["anyOf"] === undefined ? withMembers(rest, { anyOf: schemasOf(node, "oneOf") }) : rest;
  }
  const isPossible = schemasOf(node, "anyOf").some((part) => part !== false);
  return mapSchemas(node, (sub, keyword) => {
    if (!isSchema(sub) || fitted.has(keyword)) return sub;
    if (keyword === "additionalProperties" && typeof sub === "boolean") return sub;
    if (keyword === "not" && isEmpty(sub)) return sub;
    return keyword === "anyOf" && sub === false && isPossible ? undefined : fitSchema(sub, inner(keyword), work);
  });
}

function isEmpty(schema: Schema): boolean {
  return typeof schema !== "boolean" && Object.keys(schema).length === 0;
}

/** Gives properties names that the API takes. */
function renameProperties(node: JsonObject, work: Adaptation): JsonObject {
  const { propertyNames } = work.profile;
  const properties = propertiesOf(node);
  if (propertyNames === undefined || Array.from(properties.keys()).every((name) => propertyNames.test(name)))
    return node;
  note(work, "names of properties written otherwise");
  const nameOf = (name: string): string => {
    if (propertyNames.test(name)) return name;
    for (let attempt = 1; ; attempt++) {
      const head = name.replaceAll(/[^A-Za-z0-9_]/g, "_").slice(0, 53);
      const legal = `${/^\d/.test(head) ? "_" : ""}${head}_${hashName(attempt === 1 ? name : `${name}#${attempt}`)}`;
      if (properties.has(legal) || (work.renamed.get(legal) ?? name) !== name) continue;
      work.renamed.set(legal, name);
      return legal;
    }
  };
  return withMembers(node, {
    properties: toObject(Array.from(properties, ([name, schema]) => [nameOf(name), schema] as const)),
    ...(node["required"] !== undefined && { required: requiredOf(node).map(nameOf) }),
  });
}

/** The position of a schema. */
interface Position {
  readonly isRoot: boolean;
  /** Levels, from 1 for the root. */
  readonly depth: number;
  /** The references inside which it stands. */
  readonly open: readonly string[];
}

/** A schema at its position. */
interface Placed {
  readonly node: JsonObject;
  readonly at: Position;
}

/** A schema whose `allOf`, `oneOf` and `anyOf` are taken by the API. */
function fitCombinations({ node: given, at: before }: Placed, work: Adaptation): Placed {
  let { node, at } = { node: given, at: before };
  const isTaken = (keyword: string): boolean => node[keyword] === undefined || takes(work, keyword, at.isRoot);
  if (!isTaken("allOf")) ({ node, at } = mergeAllOf({ node, at }, work));
  if (!isTaken("oneOf")) {
    if (node["anyOf"] === undefined) {
      note(work, "oneOf written as anyOf");
      node = withMembers(without(node, "oneOf"), { anyOf: schemasOf(node, "oneOf") });
    } else {
      note(work, "oneOf beside anyOf left out");
      node = putInWords(node, ["oneOf"]);
    }
  }
  const isAlone = work.profile.isTyped !== true || Object.keys(node).length === 1;
  if (!isTaken("anyOf")) node = foldUnion({ node, at }, work);
  else if (node["anyOf"] !== undefined && !isAlone) node = moveIntoParts({ node, at }, work);
  return { node, at };
}

const mostParts = 64;

function mergeAllOf({ node, at }: Placed, work: Adaptation): Placed {
  note(work, "allOf put together");
  let made: Schema = without(node, "allOf");
  let { open } = at;
  const parts = [...schemasOf(node, "allOf")];
  for (let next = 0; next < Math.min(parts.length, mostParts); next++) {
    const expanded = expandRef(parts[next] ?? true, open, work);
    ({ open } = expanded);
    if (typeof expanded.schema === "boolean") continue;
    parts.push(...schemasOf(expanded.schema, "allOf"));
    made = mergeSchemas(made, without(expanded.schema, "allOf"));
  }
  return { node: typeof made === "boolean" ? {} : made, at: { ...at, open } };
}

// Nothing may stand beside a union: what did goes into each of its parts.
function moveIntoParts({ node, at }: Placed, work: Adaptation): JsonObject {
  const { description } = node;
  const beside = without(node, "anyOf", "title", "description", "default", "examples");
  note(work, "what stands beside a union put into its parts");
  const parts = schemasOf(node, "anyOf").flatMap((part) => {
    const merged = mergeSchemas(expandRef(part, at.open, work).schema, beside);
    return typeof merged === "boolean" ? (merged ? [beside] : []) : [merged];
  });
  const [first, ...rest] = parts;
  if (first === undefined) return without(node, "anyOf");
  const own = first["description"];
  const words = [description, own].filter((text) => typeof text === "string").join("\n\n");
  return { anyOf: [withMembers(first, { description: words === "" ? undefined : words }), ...rest] };
}

// A union of the arguments themselves, as one object that has the properties of all parts.
function foldUnion({ node, at }: Placed, work: Adaptation): JsonObject {
  note(work, "a union at the root written as one object");
  const base = without(node, "anyOf");
  const parts = schemasOf(node, "anyOf")
    .map((part) => expandRef(part, at.open, work).schema)
    .filter(isJsonObject)
    .filter((part) => typesOf(part)?.includes("object") !== false);
  const choices = new Map<string, Schema[]>();
  for (const part of parts) {
    for (const [name, schema] of propertiesOf(part)) choices.set(name, [...(choices.get(name) ?? []), schema]);
  }
  const known = propertiesOf(base);
  const properties = new Map<string, Schema>(known);
  for (const [name, schemas] of choices) {
    const union = uniteSchemas(schemas);
    const declared = known.get(name);
    properties.set(name, declared === undefined ? union : mergeSchemas(declared, union));
  }
  const always = requiredOf(parts[0] ?? {}).filter((name) => parts.every((part) => requiredOf(part).includes(name)));
  const required = Array.from(new Set([...requiredOf(base), ...always]));
  const isClosed = parts.length > 0 && parts.every((part) => part["additionalProperties"] === false);
  return withMembers(describeParts(base, parts), {
    properties: toObject(properties),
    required: required.length === 0 ? undefined : required,
    additionalProperties: base["additionalProperties"] ?? (isClosed ? false : undefined),
  });
}

function uniteSchemas(schemas: readonly Schema[]): Schema {
  const different = Array.from(new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values());
  const [only] = different;
  if (different.length === 1 && only !== undefined) return only;
  const values = different.map(literalsOf);
  if (!values.every((some) => some !== undefined)) return { anyOf: different };
  return toObject([["enum", Array.from(new Map(values.flat().map((one) => [JSON.stringify(one), one])).values())]]);
}

function literalsOf(schema: Schema): readonly unknown[] | undefined {
  if (typeof schema === "boolean") return undefined;
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

const mostPartsInWords = 12;

function describeParts(base: JsonObject, parts: readonly JsonObject[]): JsonObject {
  if (parts.length === 0) return base;
  const words = parts.slice(0, mostPartsInWords).map((part) => {
    const fixed = Array.from(propertiesOf(part)).flatMap(([name, schema]) =>
      isJsonObject(schema) && "const" in schema ? [`${name} = ${JSON.stringify(schema["const"])}`.slice(0, 80)] : [],
    );
    const names = requiredOf(part).map((name) => name.slice(0, 64));
    return `${fixed.join(", ")}${fixed.length > 0 ? ": " : ""}${names.slice(0, 20).join(", ") || "nothing"}`;
  });
  const more = parts.length > words.length ? "; or others" : "";
  return describe(base, `Give the members of one of these: ${words.join("; or ")}${more}.`);
}
