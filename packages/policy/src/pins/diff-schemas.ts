import type { JsonObject, JsonValue } from "@hostside/core";
import { canonicalJson, isJsonObject, sameJson } from "@hostside/core/implement";
import type { ChangeKind, ToolChange } from "./tool-change.ts";

/** Which way values go: a wider input takes more, a wider output may surprise. */
type Direction = "input" | "output";

/** A change before it is known which way the values go. */
interface SchemaChange {
  /**
   * `wider` allows more values than before, `narrower` fewer; `unclear` cannot be told; `text` is
   * what a model reads.
   */
  readonly effect: "wider" | "narrower" | "unclear" | "text" | "none";
  readonly path: string;
  readonly what: string;
}

/** The differences between two schemas of a tool, either of which may be absent. */
export function diffSchemas(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  member: "inputSchema" | "outputSchema",
): readonly ToolChange[] {
  const direction: Direction = member === "inputSchema" ? "input" : "output";
  if (!isJsonObject(before) || !isJsonObject(after)) {
    const promised = direction === "output" && before === undefined;
    return [
      {
        kind: promised ? "compatible" : "breaking",
        path: member,
        what: promised ? "is there now" : "is gone or no schema",
      },
    ];
  }
  return diff(before, after, { path: member, direction }).map(({ effect, path, what }) => ({
    kind: kindOf(effect, direction),
    path,
    what,
  }));
}

function kindOf(effect: SchemaChange["effect"], direction: Direction): ChangeKind {
  if (effect === "text") return "security";
  if (effect === "none") return "compatible";
  return effect === (direction === "input" ? "wider" : "narrower") ? "compatible" : "breaking";
}

interface Place {
  readonly path: string;
  readonly direction: Direction;
}

function diff(before: JsonObject, after: JsonObject, place: Place): readonly SchemaChange[] {
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keywords.flatMap((keyword): readonly SchemaChange[] => {
    const [old, now] = [before[keyword], after[keyword]];
    if (sameJson(old, now)) return [];
    if (keyword === "properties") return diffProperties(before, after, place);
    // Together with the properties, because a new one may be required.
    if (keyword === "required") return diffRequired(before, after, place);
    if (keyword === "items" && isJsonObject(old) && isJsonObject(now))
      return diff(old, now, { ...place, path: `${place.path}.items` });
    const effect = effectOf(keyword, old, now);
    return [{ effect, path: `${place.path}.${keyword}`, what: describe(old, now) }];
  });
}

function diffProperties(before: JsonObject, after: JsonObject, { path, direction }: Place): readonly SchemaChange[] {
  const [old, now] = [toObject(before["properties"]), toObject(after["properties"])];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().flatMap((key): readonly SchemaChange[] => {
    const [was, is] = [own(old, key), own(now, key)];
    const here = `${path}.properties.${key}`;
    if (sameJson(was, is)) return [];
    if (was === undefined) {
      // Whether it is required is told by `required`; a new member of a result harms nobody.
      return [{ effect: direction === "input" ? "wider" : "narrower", path: here, what: "is new" }];
    }
    if (is === undefined) return [{ effect: "unclear", path: here, what: "is gone" }];
    if (isJsonObject(was) && isJsonObject(is)) return diff(was, is, { path: here, direction });
    return [{ effect: "unclear", path: here, what: describe(was, is) }];
  });
}

function diffRequired(before: JsonObject, after: JsonObject, { path }: Place): readonly SchemaChange[] {
  const [old, now] = [texts(before["required"]), texts(after["required"])];
  return [
    ...now.filter((key) => !old.includes(key)).map((key) => required(path, key, "narrower")),
    ...old.filter((key) => !now.includes(key)).map((key) => required(path, key, "wider")),
  ];
}

function required(path: string, key: string, effect: "wider" | "narrower"): SchemaChange {
  return {
    effect,
    path: `${path}.required`,
    what: `${key} is ${effect === "narrower" ? "required now" : "no longer required"}`,
  };
}

// Larger values of these allow more; larger values of the others allow less.
const upperBounds = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
const lowerBounds = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const texted = new Set(["description", "title", "examples", "$comment"]);

function effectOf(keyword: string, old: JsonValue | undefined, now: JsonValue | undefined): SchemaChange["effect"] {
  if (texted.has(keyword)) return "text";
  if (keyword === "default") return "text";
  if (keyword === "type") return effectOfSets(types(old), types(now));
  if (keyword === "enum") return effectOfEnum(old, now);
  if (keyword === "additionalProperties") return effectOfAdditional(old, now);
  if (upperBounds.has(keyword) || lowerBounds.has(keyword)) return effectOfBound(keyword, old, now);
  if (old === undefined && (keyword === "pattern" || keyword === "format")) return "narrower";
  return now === undefined && (keyword === "pattern" || keyword === "format") ? "wider" : "unclear";
}

function effectOfBound(
  keyword: string,
  old: JsonValue | undefined,
  now: JsonValue | undefined,
): SchemaChange["effect"] {
  if (now === undefined) return "wider";
  if (old === undefined) return "narrower";
  if (typeof old !== "number" || typeof now !== "number") return "unclear";
  return now > old === upperBounds.has(keyword) ? "wider" : "narrower";
}

function effectOfEnum(old: JsonValue | undefined, now: JsonValue | undefined): SchemaChange["effect"] {
  if (!Array.isArray(now)) return "wider";
  if (!Array.isArray(old)) return "narrower";
  return effectOfSets(canonicalItems(old), canonicalItems(now));
}

function effectOfAdditional(old: JsonValue | undefined, now: JsonValue | undefined): SchemaChange["effect"] {
  if (now === false) return "narrower";
  return old === false && (now === true || now === undefined)
    ? "wider"
    : old === undefined && now === true
      ? "none"
      : "unclear";
}

function effectOfSets(
  old: ReadonlySet<string> | undefined,
  now: ReadonlySet<string> | undefined,
): SchemaChange["effect"] {
  // Without a type every type is allowed.
  if (now === undefined) return "wider";
  if (old === undefined) return "narrower";
  const gone = Array.from(old).some((item) => !now.has(item));
  const added = Array.from(now).some((item) => !old.has(item));
  return gone && added ? "unclear" : added ? "wider" : gone ? "narrower" : "none";
}

function types(value: JsonValue | undefined): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const named = new Set(typeof value === "string" ? [value] : texts(value));
  // Every integer is a number.
  if (named.has("number")) named.add("integer");
  return named;
}

function canonicalItems(values: readonly JsonValue[]): ReadonlySet<string> {
  return new Set(values.map((value) => canonicalJson(value)));
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function describe(before: JsonValue | undefined, after: JsonValue | undefined): string {
  const quote = (value: JsonValue | undefined): string => (JSON.stringify(value) ?? "absent").slice(0, 200);
  return `was ${quote(before)}, is ${quote(after)}`;
}
