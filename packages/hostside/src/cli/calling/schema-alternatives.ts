import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** A kind of value that JSON Schema names. */
export type ValueKind = "string" | "null" | "boolean" | "integer" | "number" | "array" | "object";

/** One kind of value that a schema allows. */
export interface Alternative {
  readonly kind: ValueKind;
  /** The only values of this kind that are allowed; absent: any. */
  readonly choices?: readonly JsonValue[] | undefined;
  /** What the schema says of values of this kind. */
  readonly schema: JsonObject;
}

const kinds: readonly ValueKind[] = ["string", "null", "boolean", "integer", "number", "array", "object"];
// A schema is a server's: it may nest, branch and refer to itself without end.
const deepest = 12;
const mostAlternatives = 64;
const mostSchemas = 500;

/**
 * The kinds of values that a schema allows, in the order in which a text is tried as one of them;
 * empty where it says nothing of kinds. References are followed within `root`. Bounded, and never
 * throws, whatever the schema is.
 */
export function alternativesOf(schema: unknown, root: JsonObject): readonly Alternative[] {
  const found = collect(schema, { root, left: mostSchemas }, 0) ?? [];
  const unique = found.filter((one, at) => found.findIndex((other) => isSame(one, other)) === at);
  return unique.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

/** A schema with its `$ref` replaced by what it refers to, which its own members win over. */
export function resolveSchema(schema: unknown, root: JsonObject): JsonObject {
  let node = isJsonObject(schema) ? schema : {};
  for (let step = 0; step < deepest && typeof node["$ref"] === "string"; step += 1) {
    const { $ref, ...own } = node;
    node = { ...findTarget($ref, root), ...own };
  }
  return node;
}

/** The value of a member that a value has itself, whatever it is called. */
export function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The entries of a list; none where there is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface Search {
  readonly root: JsonObject;
  /** How many schemas may still be looked at. */
  left: number;
}

// `undefined`: it says nothing of kinds.
function collect(schema: unknown, search: Search, depth: number): readonly Alternative[] | undefined {
  search.left -= 1;
  if (depth > deepest || search.left < 0) return undefined;
  const node = resolveSchema(schema, search.root);
  const own = ownAlternatives(node);
  const parts = [
    ...listOf(node["allOf"])
      .slice(0, mostAlternatives)
      .map((part) => collect(part, search, depth + 1)),
    collectAny(node["anyOf"] ?? node["oneOf"], search, depth + 1),
  ];
  return parts.reduce((all, part) => narrow(all, part), own)?.slice(0, mostAlternatives);
}

function collectAny(branches: unknown, search: Search, depth: number): readonly Alternative[] | undefined {
  const all: Alternative[] = [];
  for (const branch of listOf(branches).slice(0, mostAlternatives)) {
    const found = collect(branch, search, depth);
    if (found === undefined) return undefined;
    all.push(...found);
    if (all.length > mostAlternatives) break;
  }
  return all.length === 0 ? undefined : all;
}

function ownAlternatives(node: JsonObject): readonly Alternative[] | undefined {
  const { type } = node;
  const choices = Object.hasOwn(node, "const") ? [node["const"] ?? null] : listOf(node["enum"]);
  const named = kinds.filter((kind) => type === kind || listOf(type).includes(kind));
  if (choices.length > 0) {
    const allowed = kinds.filter((kind) => kind !== "integer" && choices.some((value) => isOfKind(value, kind)));
    const ofType = allowed.filter((kind) => named.length === 0 || named.some((name) => isWithin(kind, name)));
    return ofType.map((kind) => ({ kind, schema: node, choices: choices.filter((value) => isOfKind(value, kind)) }));
  }
  if (named.length > 0) return named.map((kind) => ({ kind, schema: node }));
  if (isJsonObject(node["properties"])) return [{ kind: "object", schema: node }];
  return node["items"] === undefined ? undefined : [{ kind: "array", schema: node }];
}

/** What both allow; of what one says, the other may say more. */
function narrow(
  one: readonly Alternative[] | undefined,
  other: readonly Alternative[] | undefined,
): readonly Alternative[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.flatMap((left) =>
    other.flatMap((right) => {
      if (!isWithin(right.kind, left.kind) && !isWithin(left.kind, right.kind)) return [];
      const kind = isWithin(right.kind, left.kind) ? right.kind : left.kind;
      const choices = right.choices ?? left.choices;
      return [{ kind, schema: { ...left.schema, ...right.schema }, ...(choices !== undefined && { choices }) }];
    }),
  );
}

function isWithin(kind: ValueKind, other: ValueKind): boolean {
  return kind === other || (other === "number" && kind === "integer") || (other === "integer" && kind === "number");
}

function isOfKind(value: unknown, kind: ValueKind): value is JsonValue {
  switch (kind) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}

function isSame(one: Alternative, other: Alternative): boolean {
  return one.kind === other.kind && one.schema === other.schema;
}

// Only pointers into the schema itself; what is elsewhere is never fetched, and says nothing here.
function findTarget(ref: unknown, root: JsonObject): JsonObject {
  if (typeof ref !== "string" || !ref.startsWith("#")) return {};
  let found: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1, 32)) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = Array.isArray(found) ? found[Number(key)] : memberOf(found, key);
  }
  return isJsonObject(found) && ref.length > 1 ? found : ref === "#" ? root : {};
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
