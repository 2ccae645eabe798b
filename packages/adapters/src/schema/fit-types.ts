import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { CannotAdapt, noteChange, noteLess, noteMore, type Adaptation } from "./adaptation.ts";
import { anyValue } from "./any-value.ts";
import { isObjectSchema } from "./find-refusals.ts";
import { typesOfValues } from "./fit-values.ts";
import { intersect, intersectLoosely } from "./intersect.ts";
import { schemasOf, toObject, typesOf, without, withMembers } from "./keywords.ts";

const families: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ["object"],
    [
      "properties",
      "patternProperties",
      "additionalProperties",
      "propertyNames",
      "required",
      "dependentRequired",
      "dependentSchemas",
      "minProperties",
      "maxProperties",
    ],
  ],
  [
    ["array"],
    ["items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"],
  ],
  [["string"], ["minLength", "maxLength", "pattern"]],
  [
    ["number", "integer"],
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ],
];

/** A schema that names its type as the API wants it. */
export function fitTypes(schema: JsonObject, adaptation: Adaptation): JsonObject {
  const { schema: rules } = adaptation.profile;
  let node = schema;
  if (rules.needsType !== undefined && typesOf(node) === undefined) node = inferType(node, adaptation);
  if (rules.nullable !== undefined) node = withNullable(node, adaptation);
  if (rules.needsType !== undefined) node = onlyAboutTypes(node, adaptation);
  const types = typesOf(node);
  if (rules.needsItems !== undefined && types?.includes("array") === true && node["items"] === undefined) {
    noteChange(adaptation, "items added");
    node = withMembers(node, { items: rules.needsType === undefined ? {} : anyValue({}, adaptation) });
  }
  if (rules.needsProperties !== undefined && types?.includes("object") === true && node["properties"] === undefined) {
    if (rules.closed !== undefined && node["additionalProperties"] !== false)
      throw new CannotAdapt("an object of any names");
    noteChange(adaptation, "properties added");
    node = withMembers(node, { properties: {} });
  }
  return node;
}

function inferType(node: JsonObject, adaptation: Adaptation): JsonObject {
  if (["anyOf", "$ref", "allOf"].some((keyword) => node[keyword] !== undefined)) return node;
  if (node["enum"] !== undefined || "const" in node) return node;
  const meant = families.filter(([, keywords]) => keywords.some((keyword) => node[keyword] !== undefined));
  const type = meant.length === 1 ? meant[0]?.[0][0] : undefined;
  if (type === undefined) return meant.length === 0 ? anyValue(node, adaptation) : node;
  noteLess(adaptation, "the type named that is meant");
  return withMembers(node, { type });
}

// What is said of other types says nothing here.
function onlyAboutTypes(node: JsonObject, adaptation: Adaptation): JsonObject {
  const types = typesOf(node);
  if (types === undefined) return node;
  const others = families
    .filter(([about]) => !about.some((type) => types.includes(type)))
    .flatMap(([, keywords]) => keywords.filter((keyword) => node[keyword] !== undefined));
  if (others.length === 0) return node;
  noteChange(adaptation, "keywords about other types left out");
  return without(node, ...others);
}

function withNullable(node: JsonObject, adaptation: Adaptation): JsonObject {
  const types = typesOf(node);
  if (types === undefined || (typeof node["type"] === "string" && node["type"] !== "null")) return node;
  const listed = node["enum"];
  const values = Array.isArray(listed) ? listed.filter((one) => one !== null) : undefined;
  const others = values?.length === 0 ? [] : types.filter((type) => type !== "null");
  const takesNull = types.includes("null") && (!Array.isArray(listed) || listed.includes(null));
  noteChange(adaptation, takesNull ? "null as a type written as nullable" : "a list of types written as anyOf");
  const [only] = others;
  const nullable = takesNull ? true : undefined;
  if (only === undefined) {
    noteMore(adaptation, "nothing but null written as a text that may be null");
    return withMembers(node, { type: "string", nullable, enum: undefined });
  }
  if (others.length === 1) return withMembers(node, { type: only, nullable, enum: values });
  const { title, description } = node;
  const parts = others.map((type, at) =>
    withMembers(without(node, "title", "description", "default", "anyOf"), {
      type,
      nullable: at === 0 ? nullable : undefined,
    }),
  );
  return splitInto(
    toObject([
      ["title", title],
      ["description", description],
      ["anyOf", node["anyOf"]],
    ]),
    parts,
    adaptation,
  );
}

// A union that stands there already counts, too.
function splitInto(node: JsonObject, parts: readonly JsonObject[], adaptation: Adaptation): JsonObject {
  if (node["anyOf"] === undefined) return withMembers(node, { anyOf: parts });
  const all = schemasOf(node, "anyOf").flatMap((one) =>
    parts.map((part) => {
      const both = intersect(part, one);
      if (both === undefined) noteLess(adaptation, "a list of types beside a union put together with less");
      return both ?? false;
    }),
  );
  return withMembers(node, { anyOf: all.filter((both) => both !== false) });
}

/**
 * A union of which `null` is a part, with `null` among the types of the others, where that is how
 * the API has it.
 */
export function withoutNullPart(node: JsonObject, adaptation: Adaptation): JsonObject {
  if (adaptation.profile.schema.nullable === undefined) return node;
  const parts = schemasOf(node, "anyOf");
  const others = parts.filter((part) => !isJsonObject(part) || typesOf(part)?.join() !== "null");
  const [first, ...rest] = others;
  if (others.length === parts.length || !isJsonObject(first)) return node;
  noteChange(adaptation, "null as a type written as nullable");
  if (rest.length > 0 || first["$ref"] !== undefined) {
    return withMembers(node, { anyOf: [withNull(first), ...rest] });
  }
  const only = withNull(first);
  const both = intersect(without(node, "anyOf"), only);
  return both === undefined || typeof both === "boolean" ? withMembers(node, { anyOf: [only] }) : both;
}

// A schema that takes `null` as well. One that says nothing of types does.
function withNull(part: JsonObject): JsonObject {
  const listed = "const" in part ? [part["const"]] : part["enum"];
  if (Array.isArray(listed)) {
    const values = listed.includes(null) ? listed : [...listed, null];
    const type = part["type"] === undefined ? typesOfValues(values) : withNullType(part);
    return withMembers(without(part, "const"), { type, enum: values });
  }
  if (typesOf(part) !== undefined) return withMembers(part, { type: withNullType(part) });
  const [first, ...rest] = schemasOf(part, "anyOf");
  return isJsonObject(first) ? withMembers(part, { anyOf: [withNull(first), ...rest] }) : part;
}

function withNullType(part: JsonObject): unknown {
  const types = typesOf(part);
  return types === undefined || types.includes("null") ? part["type"] : [...types, "null"];
}

/**
 * A union beside which nothing stands: what did counts in each of its parts, and is described in
 * the first. Where objects have to be closed, what is about the same object goes into the parts,
 * too: to close both leaves no value.
 */
export function splitUnion(node: JsonObject, adaptation: Adaptation): JsonObject {
  const { loneUnions, closed } = adaptation.profile.schema;
  const isAlways = loneUnions !== undefined || (closed !== undefined && isObjectSchema(node));
  if (!isAlways || node["anyOf"] === undefined || Object.keys(node).length === 1) return node;
  const beside = without(node, "anyOf", "title", "description", "default", "examples", "nullable");
  const { description } = node;
  const isAlone = Object.keys(beside).length === 0;
  noteChange(
    adaptation,
    isAlone ? "what describes a union put into its parts" : "what stands beside a union put into its parts",
  );
  const parts = schemasOf(node, "anyOf").flatMap((part): JsonObject[] => {
    if (typeof part === "boolean") return part ? [beside] : [];
    if (isAlone) return [part];
    const both = intersect(beside, part);
    if (both === false) return [];
    if (both !== undefined && both !== true) return [both];
    noteMore(adaptation, "what stands beside a union put into its parts, with less of what it asks for");
    return [intersectLoosely(part, beside)];
  });
  const [first, ...rest] = parts;
  if (first === undefined) throw new CannotAdapt("a union of which no part fits");
  const own = first["description"];
  const text =
    typeof description !== "string" ? own : typeof own === "string" ? `${description}\n\n${own}` : description;
  const isNullable = node["nullable"] === true ? { nullable: true } : {};
  return { anyOf: [withMembers(first, { ...isNullable, ...(text !== undefined && { description: text }) }), ...rest] };
}
