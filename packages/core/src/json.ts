/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/**
 * A JSON object as it came off the wire. Keys are hostile data: read the members you know,
 * never use one as a key of a plain object of your own.
 */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for a plain JSON object: not `null`, not an array, not a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether a value is an object that is what its own members say: a literal, one without a
 * prototype, or one that inherits from such a one, in any realm. A `Map`, a `Date`, an array and an
 * instance of a class are not: what is in them, nobody who reads members would see.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isPlainPrototype(prototype);
}

// The prototype of each class has its constructor. That of another realm's literals, and of
// `process.env`, is called as this one's is.
function isPlainPrototype(prototype: unknown): boolean {
  if (typeof prototype !== "object" || prototype === null) return false;
  return Object.hasOwn(prototype, "constructor") ? classOf(prototype) === "Object" : isPlainObject(prototype);
}

/**
 * Names the kind of a value, for a message: `"a Map"`, `"an array"`, `"undefined"`. Never the
 * value, which may hold a secret.
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  const tag = tagOf(value);
  const name = tag === "Object" ? (classOf(value) ?? "object") : tag;
  return name === "Object" ? "an object" : `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

/** The tag of an object: `"Object"`, `"Map"`. */
export function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

function classOf(value: object): string | undefined {
  const { constructor: made }: { readonly constructor?: unknown } = value;
  return typeof made === "function" && made.name !== "" ? made.name : undefined;
}

/**
 * Whether two JSON values mean the same; the order of an object's members does not matter, because
 * some servers write theirs in another order each time. A member that is `undefined` is absent.
 * Recursive: for values whose depth is bounded, as a listed schema's is.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  return isJsonObject(a) && isJsonObject(b) && sameMembers(a, b);
}

// Makes no lists but those of the names: it runs over every schema of every listing.
function sameMembers(a: JsonObject, b: JsonObject): boolean {
  let more = 0;
  for (const name of Object.keys(a)) {
    const member = a[name];
    // A member that is `undefined` is absent: JSON has no such value.
    if (member === undefined) continue;
    if (!Object.hasOwn(b, name) || !sameJson(member, b[name])) return false;
    more += 1;
  }
  for (const name of Object.keys(b)) if (b[name] !== undefined) more -= 1;
  return more === 0;
}

const deepest = 200;

/**
 * JSON with the members of every object in the order of their names and no space: equal values give
 * equal texts (in the manner of RFC 8785). A member that is `undefined` is absent. Throws
 * `TypeError` for a value that is nested more than 200 deep.
 */
export function canonicalJson(value: JsonValue): string {
  return write(value, 0);
}

function write(value: JsonValue, depth: number): string {
  if (depth > deepest) throw new TypeError(`nested more than ${deepest} deep`);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return `[${items.map((item) => write(item, depth + 1)).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}

/**
 * Freezes a value that came from a server, with all that is in it, and returns it: many readers
 * share it, and none may change it for the others. Goes by a list of its own, because a value can
 * be nested deep enough to exhaust the runtime's stack. A frozen value is taken to be so
 * throughout.
 */
export function freezeData<T>(value: T): T {
  if (!isOpen(value)) return value;
  Object.freeze(value);
  const waiting: object[] = [value];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const member of Object.values(node) as readonly unknown[]) {
      if (!isOpen(member)) continue;
      // First, so that a cycle ends.
      Object.freeze(member);
      waiting.push(member);
    }
  }
  return value;
}

function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}
