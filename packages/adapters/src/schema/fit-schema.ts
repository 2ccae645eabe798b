import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { noteChange, noteMore, type Adaptation } from "./adaptation.ts";
import { adaptInside } from "./adapt-inside.ts";
import { takes } from "./combine.ts";
import { describeLoss } from "./describe-loss.ts";
import type { SchemaPosition } from "./place.ts";
import { fitObject } from "./fit-object.ts";
import { fitTypes, splitUnion, withoutNullPart } from "./fit-types.ts";
import { fitValues } from "./fit-values.ts";
import {
  annotationKeywords,
  isConstraint,
  keywordShapes,
  toObject,
  typesOf,
  without,
  withMembers,
} from "./keywords.ts";

/**
 * A schema in which each keyword is one that the API takes, with a value that it takes. What says
 * what is valid and has to go is written into the description. Goes from the outside inwards, as
 * the levels are counted.
 */
export function fitSchema(schema: JsonObject, place: SchemaPosition, adaptation: Adaptation): JsonObject {
  const given = prune(withoutBooleans(schema, adaptation), place, adaptation);
  let node = fitValues(withoutNullPart(given, adaptation), adaptation);
  node = dropKeywords(node, place.depth === 1, adaptation);
  node = fitTypes(node, adaptation);
  node = splitUnion(node, adaptation);
  const before = node;
  node = adaptInside(node, adaptation, (sub, keyword, inner) => {
    const isBeside = keyword === "anyOf" || keyword === "allOf" || keyword === "$defs";
    const depth = keyword === "$defs" ? 2 : place.depth + (isBeside ? 0 : 1);
    return fitSchema(sub, { ...place, depth: place.depth === 1 && isBeside ? 2 : depth }, inner);
  });
  return fitObject({ node, before }, place, adaptation);
}

function withoutBooleans(schema: JsonObject, adaptation: Adaptation): JsonObject {
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    switch (keywordShapes.get(keyword)) {
      case "schema":
        return [keyword, keyword === "additionalProperties" ? value : asObject(value, adaptation)];
      case "schemas":
        return [keyword, Array.isArray(value) ? partsOf(keyword, value, adaptation) : value];
      case "schema-map":
        return [
          keyword,
          isJsonObject(value)
            ? toObject(Object.entries(value).map(([name, one]) => [name, asObject(one, adaptation)]))
            : value,
        ];
      default:
        return [keyword, value];
    }
  });
  return toObject(members);
}

// `false` adds nothing to a union.
function partsOf(keyword: string, parts: readonly unknown[], adaptation: Adaptation): readonly unknown[] {
  const possible = keyword === "anyOf" ? parts.filter((one) => one !== false) : parts;
  return (possible.length === 0 ? parts : possible).map((one) => asObject(one, adaptation));
}

function asObject(value: unknown, adaptation: Adaptation): unknown {
  if (typeof value !== "boolean") return value;
  if (value) {
    noteChange(adaptation, "true as a schema written as an empty one");
    return {};
  }
  if (takes("not", false, adaptation.profile.schema)) {
    noteChange(adaptation, "false as a schema written as one that nothing fits");
    return { not: {} };
  }
  noteMore(adaptation, "false as a schema left out");
  return { description: "Never given." };
}

function prune(node: JsonObject, { depth }: SchemaPosition, adaptation: Adaptation): JsonObject {
  const { enforced, schema: rules } = adaptation.profile;
  if (enforced || rules.maxDepth === undefined || depth < rules.maxDepth.value - 2) return node;
  const types = typesOf(node);
  const deep = Object.keys(node).filter((keyword) => keywordShapes.get(keyword)?.startsWith("schema") === true);
  if (deep.length === 0 && depth < rules.maxDepth.value - 1) return node;
  if (deep.length === 0 && types?.some((type) => type === "object" || type === "array") !== true) return node;
  noteMore(adaptation, `what is nested more than ${rules.maxDepth.value} deep left out`);
  const flat = describeLoss(node, [...deep, "required"]);
  return types === undefined ? withMembers(flat, { type: "string" }) : flat;
}

function dropKeywords(node: JsonObject, isRoot: boolean, adaptation: Adaptation): JsonObject {
  const { schema: rules, enforced } = adaptation.profile;
  const lost: string[] = [];
  for (const keyword of Object.keys(node)) {
    if (keyword === "$ref" || keyword === "$defs" || takes(keyword, isRoot, rules)) continue;
    if (keyword === "additionalProperties" && enforced) continue;
    lost.push(keyword);
    if (saysNothing(keyword, node[keyword])) noteChange(adaptation, `${keyword} that says nothing left out`);
    else if (isConstraint(keyword)) noteMore(adaptation, `${keyword} left out`);
    else if (keyword === "default") noteChange(adaptation, "default left out");
    else
      noteChange(
        adaptation,
        annotationKeywords.has(keyword) ? `${keyword} left out` : "keywords that are not known left out",
      );
  }
  // Without its condition, a consequence means nothing.
  if (lost.includes("if")) lost.push("then", "else");
  if (lost.length === 0) return node;
  // A model gives no names that nobody declared, and needs no words for it.
  const quiet = lost.filter(
    (keyword) => (keyword === "additionalProperties" && node[keyword] === false) || saysNothing(keyword, node[keyword]),
  );
  return describeLoss(describeDefault(without(node, ...quiet), lost), lost);
}

// Names are texts anyway.
function saysNothing(keyword: string, value: unknown): boolean {
  if (!isConstraint(keyword)) return false;
  if (value === true) return keyword !== "uniqueItems";
  if (value === 0) return keyword === "minLength" || keyword === "minItems" || keyword === "minProperties";
  if (!isJsonObject(value)) return keyword === "uniqueItems" && value === false;
  const constraints = Object.keys(value).filter((one) => isConstraint(one));
  if (keyword === "propertyNames") return constraints.every((one) => one === "type" && value[one] === "string");
  return keyword === "additionalProperties" && constraints.length === 0;
}

function describeDefault(node: JsonObject, lost: readonly string[]): JsonObject {
  if (!lost.includes("default") || node["default"] === null || node["default"] === undefined) return node;
  const text = `Default: ${JSON.stringify(node["default"]).slice(0, 100).toWellFormed()}`;
  const { description } = node;
  return withMembers(node, { description: typeof description === "string" ? `${description}\n\n${text}` : text });
}
