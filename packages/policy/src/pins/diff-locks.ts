import { truncateText, type JsonObject, type JsonValue, type ServerWords } from "@hostside/core";
import { canonicalJson, isJsonObject, sameJson } from "@hostside/core/implement";
import type { ChangeKind, ToolChange } from "../policy-event.ts";
import { lockTools, type LockedTool, type ToolLock } from "./tool-lock.ts";

type Value = JsonValue | undefined;
// More than a person reads.
const mostChanges = 500;

/**
 * Lists the changes from one lock to another, tool by tool in the order of names.
 *
 * @example
 * for (const { kind, tool, what } of diffLocks(before, after)) console.log(kind, tool, what);
 */
export function diffLocks(before: ToolLock, after: ToolLock): readonly ToolChange[] {
  const { server } = before;
  const words = server === undefined || after.server === undefined ? [] : diffWords(server, after.server);
  const old = new Map(before.tools.map((tool) => [tool.name, tool]));
  const now = new Map(after.tools.map((tool) => [tool.name, tool]));
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return [...words, ...names.flatMap((name) => diffTool(name, old.get(name), now.get(name)))];
}

/** Lists at most 500 changes between two entries of one tool. Their texts are the server's. */
export function compareEntries(before: JsonObject, after: JsonObject): readonly ToolChange[] {
  return diffLocks(lockTools([before], undefined), lockTools([after], undefined)).slice(0, mostChanges);
}

/** Lists the changes of what a server says of itself. */
export function diffWords(before: ServerWords, after: ServerWords): readonly ToolChange[] {
  return (["title", "description", "instructions"] as const)
    .filter((path) => before[path] !== after[path])
    .map((path) => ({ kind: "security", path, what: describe(before[path], after[path]) }));
}

/** Counts changes by kind, such as `1 breaking, 2 security-relevant`. Empty for none. */
export function summarizeChanges(changes: readonly ToolChange[]): string {
  return (["breaking", "security", "compatible"] as const)
    .map((kind) => [changes.filter((change) => change.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind === "security" ? "security-relevant" : kind}`)
    .join(", ");
}

function diffTool(tool: string, before: LockedTool | undefined, after: LockedTool | undefined): readonly ToolChange[] {
  if (before === undefined) return [{ kind: "compatible", tool, path: "", what: "is new" }];
  if (after === undefined) return [{ kind: "breaking", tool, path: "", what: "is gone" }];
  if (before.hash === after.hash) return [];
  return diffMembers(before.definition, after.definition, (member, old, now): readonly ToolChange[] => {
    if (member === "inputSchema" || member === "outputSchema") return diffSchemas(old, now, member);
    if (member === "annotations") return diffAnnotations(toObject(old), toObject(now));
    // A description steers the model, a title or an icon what a person sees, and _meta what a host
    // does.
    return [{ kind: "security", path: member, what: describe(old, now) }];
  }).map((change) => ({ tool, ...change }));
}

/** Compares the members that two objects have otherwise, in the order of their names. */
function diffMembers<Change>(
  before: JsonObject,
  after: JsonObject,
  diff: (name: string, old: Value, now: Value) => readonly Change[],
): readonly Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
    const [old, now] = [before, after].map((owner) => (Object.hasOwn(owner, name) ? owner[name] : undefined));
    return sameJson(old, now) ? [] : diff(name, old, now);
  });
}

// Absent means the worst that a hint may mean (specification, ToolAnnotations).
const assumed: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function diffAnnotations(before: JsonObject, after: JsonObject): readonly ToolChange[] {
  return diffMembers(before, after, (hint, old, now) => {
    // Writing down what was assumed before changes nothing for anyone.
    const kind = (old ?? assumed[hint]) === (now ?? assumed[hint]) ? "compatible" : "security";
    return [{ kind, path: `annotations.${hint}`, what: describe(old, now) }];
  });
}

/**
 * The effect of a change on the values that a schema allows: `wider` allows more than before,
 * `narrower` fewer; `unclear` cannot be told; `text` is what a model reads.
 */
type Effect = "wider" | "narrower" | "unclear" | "text" | "none";

function diffSchemas(before: Value, after: Value, member: "inputSchema" | "outputSchema"): readonly ToolChange[] {
  // A wider input takes more, a wider output may surprise.
  const harmless: Effect = member === "inputSchema" ? "wider" : "narrower";
  const kinds: Partial<Record<Effect, ChangeKind>> = { text: "security", none: "compatible", [harmless]: "compatible" };
  if (isJsonObject(before) && isJsonObject(after)) {
    return diffSchema(before, after, { path: member, isNew: harmless }).map(({ effect, path, what }) => ({
      kind: kinds[effect] ?? "breaking",
      path,
      what,
    }));
  }
  return member === "outputSchema" && before === undefined
    ? [{ kind: "compatible", path: member, what: "is there now" }]
    : [{ kind: "breaking", path: member, what: "is gone or no schema" }];
}

interface SchemaChange {
  readonly effect: Effect;
  readonly path: string;
  readonly what: string;
}

interface Place {
  readonly path: string;
  /** The effect of a new property: whether it is required is told by `required`. */
  readonly isNew: Effect;
}

function diffSchema(before: JsonObject, after: JsonObject, place: Place): readonly SchemaChange[] {
  return diffMembers(before, after, (keyword, old, now): readonly SchemaChange[] => {
    const path = `${place.path}.${keyword}`;
    if (keyword === "properties") return diffProperties(toObject(old), toObject(now), { ...place, path });
    if (keyword === "required") return diffRequired(texts(old), texts(now), path);
    if (keyword === "items" && isJsonObject(old) && isJsonObject(now)) return diffSchema(old, now, { ...place, path });
    return [{ effect: effectOf(keyword, old, now), path, what: describe(old, now) }];
  });
}

function diffProperties(before: JsonObject, after: JsonObject, place: Place): readonly SchemaChange[] {
  return diffMembers(before, after, (name, old, now): readonly SchemaChange[] => {
    const path = `${place.path}.${name}`;
    if (isJsonObject(old) && isJsonObject(now)) return diffSchema(old, now, { ...place, path });
    if (old === undefined) return [{ effect: place.isNew, path, what: "is new" }];
    return [{ effect: "unclear", path, what: now === undefined ? "is gone" : describe(old, now) }];
  });
}

function diffRequired(old: readonly string[], now: readonly string[], path: string): readonly SchemaChange[] {
  const more = now.filter((key) => !old.includes(key));
  const fewer = old.filter((key) => !now.includes(key));
  return [
    ...more.map((key) => ({ effect: "narrower" as const, path, what: `${key} is required now` })),
    ...fewer.map((key) => ({ effect: "wider" as const, path, what: `${key} is no longer required` })),
  ];
}

const textKeywords = new Set(["description", "title", "examples", "$comment", "default"]);
// Larger values of these allow more; larger values of the others allow less.
const upperBounds = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
const lowerBounds = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
// They restrict, and two of them cannot be compared.
const restrictions = new Set(["pattern", "format"]);

function effectOf(keyword: string, old: Value, now: Value): Effect {
  if (textKeywords.has(keyword)) return "text";
  if (keyword === "additionalProperties") {
    if (now === false) return "narrower";
    if (old === false) return now === true || now === undefined ? "wider" : "unclear";
    return old === undefined && now === true ? "none" : "unclear";
  }
  const isBound = upperBounds.has(keyword) || lowerBounds.has(keyword);
  const isSet = keyword === "type" || keyword === "enum";
  if (!isBound && !isSet && !restrictions.has(keyword)) return "unclear";
  if (now === undefined) return "wider";
  if (old === undefined) return "narrower";
  if (isSet) return effectOfSets(itemsOf(old, keyword), itemsOf(now, keyword));
  if (!isBound || typeof old !== "number" || typeof now !== "number") return "unclear";
  return now > old === upperBounds.has(keyword) ? "wider" : "narrower";
}

function effectOfSets(old: ReadonlySet<string>, now: ReadonlySet<string>): Effect {
  const gone = Array.from(old).some((item) => !now.has(item));
  const added = Array.from(now).some((item) => !old.has(item));
  return gone && added ? "unclear" : added ? "wider" : gone ? "narrower" : "none";
}

function itemsOf(value: JsonValue, keyword: "enum" | "type"): ReadonlySet<string> {
  const items = new Set((Array.isArray(value) ? value : [value]).map((item: JsonValue) => canonicalJson(item)));
  // Every integer is a number.
  if (keyword === "type" && items.has('"number"')) items.add('"integer"');
  return items;
}

function texts(value: Value): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function toObject(value: Value): JsonObject {
  return isJsonObject(value) ? value : {};
}

function describe(before: Value, after: Value): string {
  if (before === undefined) return `is there now: ${quote(after)}`;
  return after === undefined ? `is gone; it was ${quote(before)}` : `was ${quote(before)}, is ${quote(after)}`;
}

function quote(value: Value): string {
  return truncateText(JSON.stringify(value) ?? "", 200);
}
