import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { CannotAdapt, noteChange, noteLess, noteMore, type Adaptation } from "./adaptation.ts";
import { adaptInside } from "./adapt-inside.ts";
import { hasShape, isSchema, memberOf, toObject, typesOf, without, withMembers } from "./keywords.ts";

const inPlace = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];

/**
 * A schema in the words of 2020-12, whichever draft it was written for, without keywords that are
 * of a wrong kind, and without what depends on how the rest is put together
 * (`unevaluatedProperties`).
 */
export function modernize(schema: JsonObject, isOld: boolean, adaptation: Adaptation): JsonObject {
  let node = readOldItems(schema, adaptation);
  node = readOldBounds(node, adaptation);
  node = readDependencies(node, adaptation);
  if (isOld && typeof node["$ref"] === "string") node = onlyRef(node);
  node = dropMalformed(node, adaptation);
  node = dropUnevaluated(node, adaptation);
  return adaptInside(node, adaptation, (sub, _keyword, inner) => modernize(sub, isOld, inner));
}

/**
 * Whether a schema says that it is written for a draft before 2019-09, in which nothing counts
 * beside a `$ref`.
 */
export function isOldDraft(root: JsonObject): boolean {
  return typeof root["$schema"] === "string" && /\/draft-0\d\//.test(root["$schema"]);
}

function onlyRef(node: JsonObject): JsonObject {
  const kept = ["$ref", "$defs", "definitions", "title", "description", "default", "examples"];
  return toObject(Object.entries(node).filter(([keyword]) => kept.includes(keyword)));
}

function readOldItems(node: JsonObject, adaptation: Adaptation): JsonObject {
  if (!Array.isArray(node["items"])) return "additionalItems" in node ? without(node, "additionalItems") : node;
  noteChange(adaptation, "a list of items written as prefixItems");
  const { items, additionalItems } = node;
  return withMembers(without(node, "additionalItems"), {
    prefixItems: items.length === 0 ? undefined : items,
    items: isSchema(additionalItems) ? additionalItems : undefined,
  });
}

function readOldBounds(node: JsonObject, adaptation: Adaptation): JsonObject {
  let read = node;
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof read[exclusive] !== "boolean") continue;
    noteChange(adaptation, "bounds of draft 4");
    read =
      read[exclusive] && typeof read[bound] === "number"
        ? withMembers(read, { [exclusive]: read[bound], [bound]: undefined })
        : without(read, exclusive);
  }
  return read;
}

function readDependencies(node: JsonObject, adaptation: Adaptation): JsonObject {
  const dependencies = node["dependencies"];
  if (!isJsonObject(dependencies)) return node;
  noteChange(adaptation, "dependencies written as dependentRequired and dependentSchemas");
  const entries = Object.entries(dependencies);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => isSchema(value));
  return withMembers(without(node, "dependencies"), {
    dependentRequired: lists.length === 0 ? node["dependentRequired"] : toObject(lists),
    dependentSchemas: schemas.length === 0 ? node["dependentSchemas"] : toObject(schemas),
  });
}

function dropMalformed(node: JsonObject, adaptation: Adaptation): JsonObject {
  const wrong = Object.keys(node).filter((keyword) => !hasShape(keyword, node[keyword]));
  if (wrong.length === 0) return node;
  for (const keyword of wrong) noteMore(adaptation, `${keyword} of a wrong kind left out`);
  const kept = without(node, ...wrong);
  const properties = memberOf(node, "properties");
  if (!wrong.includes("properties") || !isJsonObject(properties)) return kept;
  return withMembers(kept, { properties: toObject(Object.entries(properties).filter(([, value]) => isSchema(value))) });
}

function dropUnevaluated(node: JsonObject, adaptation: Adaptation): JsonObject {
  let kept = node;
  for (const [keyword, plain] of [
    ["unevaluatedProperties", "additionalProperties"],
    ["unevaluatedItems", "items"],
  ] as const) {
    const value = node[keyword];
    if (value === undefined) continue;
    kept = without(kept, keyword);
    const isAlone = !inPlace.some((one) => node[one] !== undefined) && node["contains"] === undefined;
    if (isAlone) {
      noteChange(adaptation, `${keyword} written as ${plain}`);
      if (node[plain] === undefined) kept = withMembers(kept, { [plain]: value });
    } else {
      noteMore(adaptation, `${keyword} left out`);
    }
  }
  return kept;
}

/**
 * The schema of arguments, which are an object and say so now. Throws {@linkcode CannotAdapt} for a
 * schema that no object meets.
 */
export function withObjectType(root: JsonObject, adaptation: Adaptation): JsonObject {
  if (root["type"] === "object") return root;
  if (typesOf(root)?.includes("object") === false) throw new CannotAdapt("arguments that are no object");
  noteLess(adaptation, "the type object named");
  return withMembers(root, { type: "object" });
}
