import type { JsonObject } from "@hostside/core";
import { canonicalJson, isJsonObject } from "@hostside/core/implement";
import { noteChange, noteLess, noteMore, type Adaptation } from "./adaptation.ts";
import { adaptInside } from "./adapt-inside.ts";
import { describeLoss } from "./describe-loss.ts";
import { areApart, intersect, intersectLoosely } from "./intersect.ts";
import {
  isConstraint,
  propertiesOf,
  requiredOf,
  schemasOf,
  toObject,
  typesOf,
  without,
  withMembers,
} from "./keywords.ts";
import type { SchemaRules } from "./schema-profile.ts";

type Schema = JsonObject | boolean;

// To compare each part with each other is quadratic.
const mostParts = 64;

/** Whether an API takes a keyword in this place. */
export function takes(keyword: string, isRoot: boolean, { refused, keywords }: SchemaRules): boolean {
  if (keywords !== undefined && !keywords.value.includes(keyword)) return false;
  return !refused.some(({ value: { at, keywords: names } }) => {
    return names.includes(keyword) && (at === "anywhere" || (at === "root") === isRoot);
  });
}

/**
 * A schema in which parts are put together only as the API takes it: `allOf` is merged, `oneOf` is
 * `anyOf`, and a union of the arguments themselves is one object. Goes from the inside outwards.
 */
export function combine(schema: JsonObject, isRoot: boolean, adaptation: Adaptation): JsonObject {
  const { schema: rules } = adaptation.profile;
  let node = adaptInside(dropConditions(schema, isRoot, adaptation), adaptation, (sub, _keyword, inner) =>
    combine(sub, false, inner),
  );
  if (node["oneOf"] !== undefined && !takes("oneOf", isRoot, rules)) node = withoutOneOf(node, adaptation);
  const isSplit = rules.closed !== undefined && schemasOf(node, "allOf").some(mayBeObject);
  if (node["allOf"] !== undefined && (isSplit || !takes("allOf", isRoot, rules))) node = withoutAllOf(node, adaptation);
  node = withoutSinglePart(node, adaptation);
  if (node["anyOf"] !== undefined && !takes("anyOf", isRoot, rules)) node = foldUnion(node, adaptation);
  return node;
}

// To close each of several schemas of one object leaves no value that all of them take.
function mayBeObject(part: Schema): boolean {
  return typeof part !== "boolean" && typesOf(part)?.includes("object") !== false;
}

// What is refused anyway need not be looked at.
function dropConditions(node: JsonObject, isRoot: boolean, adaptation: Adaptation): JsonObject {
  const { schema: rules } = adaptation.profile;
  const parts = ["not", "if", "then", "else"].filter((keyword) => node[keyword] !== undefined);
  const lost = parts.filter((keyword) => !takes(keyword, isRoot, rules));
  if (lost.length === 0) return node;
  const all = lost.some((keyword) => keyword !== "not") ? ["if", "then", "else", ...lost] : lost;
  for (const keyword of lost) noteMore(adaptation, `${keyword} left out`);
  return describeLoss(node, all);
}

function withoutOneOf(node: JsonObject, adaptation: Adaptation): JsonObject {
  const parts = schemasOf(node, "oneOf");
  const rest = without(node, "oneOf");
  const apart =
    parts.length <= mostParts && parts.every((part, at) => parts.slice(at + 1).every((other) => areApart(part, other)));
  if (apart) noteChange(adaptation, "oneOf written as anyOf");
  else noteMore(adaptation, "oneOf written as anyOf, of which several may fit");
  if (node["anyOf"] === undefined) return withMembers(rest, { anyOf: parts });
  // Both count.
  const both = withMembers(without(rest, "anyOf"), {
    allOf: [...schemasOf(node, "allOf"), { anyOf: parts }, { anyOf: node["anyOf"] }],
  });
  return both;
}

function withoutAllOf(node: JsonObject, adaptation: Adaptation): JsonObject {
  const parts = schemasOf(node, "allOf");
  let made: JsonObject = without(node, "allOf");
  for (const part of parts.slice(0, mostParts)) {
    if (part === true) continue;
    if (part === false) {
      noteMore(adaptation, "false in allOf left out");
      continue;
    }
    const both = intersect(made, part);
    if (both !== undefined && typeof both !== "boolean") {
      noteChange(adaptation, "allOf put together");
      made = both;
    } else {
      noteMore(adaptation, "allOf put together, with less of what it asks for");
      made = describeLoss(withMembers(intersectLoosely(made, part), { allOf: [part] }), ["allOf"]);
    }
  }
  if (parts.length > mostParts) noteMore(adaptation, `parts of allOf beyond ${mostParts} left out`);
  return made;
}

function withoutSinglePart(node: JsonObject, adaptation: Adaptation): JsonObject {
  const parts = schemasOf(node, "anyOf").filter((part) => part !== false);
  const [only] = parts;
  if (parts.length !== 1 || only === undefined || typeof only === "boolean") return node;
  const both = intersect(without(node, "anyOf"), only);
  if (both === undefined || typeof both === "boolean") return node;
  noteChange(adaptation, "a union of one written without it");
  return both;
}

/**
 * A union of objects as one object, with the members of all; what belongs together is said in
 * words.
 */
function foldUnion(node: JsonObject, adaptation: Adaptation): JsonObject {
  const base = without(node, "anyOf");
  const all = schemasOf(node, "anyOf").filter((part) => part !== false && !isAboutOthers(part));
  const parts = all.filter(isJsonObject);
  noteMore(adaptation, "a union at the root written as one object");
  if (parts.length !== all.length || parts.some((part) => part["$ref"] !== undefined) || parts.length === 0) {
    return describeLoss(withMembers(base, { anyOf: node["anyOf"] }), ["anyOf"]);
  }
  const known = propertiesOf(base);
  const choices = new Map<string, Schema[]>();
  for (const part of parts) {
    for (const [name, schema] of propertiesOf(part)) {
      const found = choices.get(name);
      if (found === undefined) choices.set(name, [schema]);
      else found.push(schema);
    }
  }
  const isClosed = parts.every((part) => part["additionalProperties"] === false);
  const properties = new Map<string, Schema>(known);
  for (const [name, schemas] of choices) {
    // Where a part says nothing of the member, it takes anything there; nobody means that.
    if (schemas.length < parts.length && !known.has(name))
      noteLess(adaptation, "a union at the root written as one object");
    const union = uniteSchemas(schemas);
    const declared = known.get(name);
    properties.set(name, declared === undefined ? union : (intersect(declared, union) ?? declared));
  }
  const [first, ...others] = parts.map((part) => new Set(requiredOf(part)));
  const always = Array.from(first ?? []).filter((name) => others.every((names) => names.has(name)));
  const required = Array.from(new Set([...requiredOf(base), ...always]));
  return withMembers(describeParts(base, parts), {
    properties: toObject(properties),
    required: required.length === 0 ? undefined : required,
    additionalProperties: base["additionalProperties"] ?? (isClosed ? false : undefined),
  });
}

// The arguments are an object.
function isAboutOthers(part: Schema): boolean {
  return typeof part !== "boolean" && typesOf(part)?.includes("object") === false;
}

function uniteSchemas(schemas: readonly Schema[]): Schema {
  const different = Array.from(new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values());
  const [only] = different;
  if (different.length === 1 && only !== undefined) return only;
  const values = different.map(literalsOf);
  if (!values.every((some) => some !== undefined)) return { anyOf: different };
  const types = new Set(
    different.flatMap((one): readonly unknown[] => (typeof one === "boolean" ? [] : (typesOf(one) ?? [undefined]))),
  );
  const [type] = types;
  const united = Array.from(new Map(values.flat().map((one) => [JSON.stringify(one), one])).values());
  return toObject([
    ["type", types.size === 1 ? type : undefined],
    ["enum", united],
  ]);
}

// The values that a schema lists, when it says nothing else of what is valid.
function literalsOf(schema: Schema): readonly unknown[] | undefined {
  if (typeof schema === "boolean") return undefined;
  if (Object.keys(schema).some((keyword) => isConstraint(keyword) && !["type", "enum", "const"].includes(keyword)))
    return undefined;
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

const mostPartsInWords = 12;

function describeParts(base: JsonObject, parts: readonly JsonObject[]): JsonObject {
  const words = parts.slice(0, mostPartsInWords).map((part) => {
    const fixed = Array.from(propertiesOf(part)).flatMap(([name, schema]) =>
      isJsonObject(schema) && "const" in schema ? [`${name} = ${JSON.stringify(schema["const"])}`.slice(0, 80)] : [],
    );
    const names = requiredOf(part).map((name) => name.slice(0, 64));
    return `${fixed.join(", ")}${fixed.length > 0 ? ": " : ""}${names.slice(0, 20).join(", ") || "nothing"}`;
  });
  const more = parts.length > words.length ? "; or others" : "";
  const text = `Give the members of one of these: ${words.join("; or ")}${more}.`;
  const { description } = base;
  return withMembers(base, { description: typeof description === "string" ? `${description}\n\n${text}` : text });
}
