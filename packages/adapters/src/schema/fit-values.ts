import type { JsonObject } from "@hostside/core";
import { noteChange, noteMore, type Adaptation } from "./adaptation.ts";
import { takes } from "./combine.ts";
import { describeLoss } from "./describe-loss.ts";
import { typesOf, without, withMembers } from "./keywords.ts";
import { isPlainPattern } from "./plain-pattern.ts";

/** A schema whose values, bounds, formats and patterns are as the API takes them. */
export function fitValues(schema: JsonObject, adaptation: Adaptation): JsonObject {
  let node = fitBounds(schema, adaptation);
  node = fitConst(node, adaptation);
  node = fitEnum(node, adaptation);
  return fitTexts(node, adaptation);
}

/**
 * `exclusiveMinimum` of a whole number as the `minimum` above it; of another as a `minimum` that
 * takes one value more.
 */
function fitBounds(schema: JsonObject, adaptation: Adaptation): JsonObject {
  const { schema: rules } = adaptation.profile;
  let node = schema;
  for (const [exclusive, bound, step] of [
    ["exclusiveMinimum", "minimum", 1],
    ["exclusiveMaximum", "maximum", -1],
  ] as const) {
    const limit = node[exclusive];
    if (typeof limit !== "number" || takes(exclusive, false, rules) || !takes(bound, false, rules)) continue;
    const isWhole = typesOf(node)?.join() === "integer";
    const next = isWhole ? (step === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1) : limit;
    const known = node[bound];
    const both = typeof known !== "number" ? next : step === 1 ? Math.max(known, next) : Math.min(known, next);
    if (isWhole) noteChange(adaptation, `${exclusive} written as ${bound}`);
    else noteMore(adaptation, `${exclusive} written as ${bound}`);
    node = withMembers(isWhole ? without(node, exclusive) : describeLoss(node, [exclusive]), { [bound]: both });
  }
  return node;
}

function fitConst(node: JsonObject, adaptation: Adaptation): JsonObject {
  const { schema: rules } = adaptation.profile;
  if (!("const" in node) || (takes("const", false, rules) && rules.enums === undefined)) return node;
  if (takes("const", false, rules) && (typeof node["const"] !== "object" || node["const"] === null)) return node;
  noteChange(adaptation, "const written as enum");
  if (node["enum"] !== undefined) return without(node, "const");
  return withMembers(without(node, "const"), { enum: [node["const"]] });
}

function fitEnum(node: JsonObject, adaptation: Adaptation): JsonObject {
  const { enums, nullable } = adaptation.profile.schema;
  const values = node["enum"];
  if (enums === undefined || !Array.isArray(values)) return node;
  const isScalar = values.every((one) => typeof one !== "object" || one === null);
  const texts = values.filter((one) => one !== null);
  const isText = texts.length > 0 && texts.every((one) => typeof one === "string");
  const typed = isScalar && node["type"] === undefined ? withMembers(node, { type: typesOfValues(values) }) : node;
  if (enums.value === "scalars" && isScalar) return node;
  if (enums.value === "texts" && isText && texts.length === values.length && !hasOtherTypes(typed)) return typed;
  if (enums.value === "texts" && isText && (nullable !== undefined || typesOf(typed)?.includes("null") === true)) {
    return withoutNull(typed, texts, adaptation);
  }
  noteMore(adaptation, "enum of what is no text left out");
  return describeLoss(typed, ["enum"]);
}

// A text or null, each for itself.
function withoutNull(node: JsonObject, texts: readonly unknown[], adaptation: Adaptation): JsonObject {
  noteChange(adaptation, "null taken out of enum");
  const takesNull =
    typesOf(node)?.includes("null") === true && texts.length < (node["enum"] as readonly unknown[]).length;
  const text = withMembers(without(node, "type", "enum"), { type: "string", enum: texts });
  if (!takesNull) return text;
  if (adaptation.profile.schema.nullable !== undefined) return withMembers(text, { nullable: true });
  const { description } = node;
  const part = without(text, "description", "default");
  return withMembers({}, { description, anyOf: [part, { type: "null" }] });
}

function hasOtherTypes(node: JsonObject): boolean {
  return typesOf(node)?.some((type) => type !== "string") ?? false;
}

/** The type of values, or the list of their types, as the keyword `type` has it. */
export function typesOfValues(values: readonly unknown[]): string | readonly string[] | undefined {
  const types = Array.from(new Set(values.map(typeOf)));
  return types.length === 1 ? types[0] : types;
}

function fitTexts(schema: JsonObject, adaptation: Adaptation): JsonObject {
  const { formats, plainPatterns, maxMinItems } = adaptation.profile.schema;
  let node = schema;
  if (formats !== undefined && typeof node["format"] === "string" && !formats.value.includes(node["format"])) {
    noteMore(adaptation, "format left out");
    node = describeLoss(node, ["format"]);
  }
  if (plainPatterns !== undefined && typeof node["pattern"] === "string" && !isPlainPattern(node["pattern"])) {
    noteMore(adaptation, "a pattern that looks around or back left out");
    node = describeLoss(node, ["pattern"]);
  }
  if (maxMinItems !== undefined && typeof node["minItems"] === "number" && node["minItems"] > maxMinItems.value) {
    noteMore(adaptation, "minItems made smaller");
    node = withMembers(describeLoss(node, ["minItems"]), { minItems: maxMinItems.value });
  }
  return node;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
