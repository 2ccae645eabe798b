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
 * What a value is, in words for a message: `"a Map"`, `"an array"`, `"undefined"`. Never the value,
 * which may hold a secret.
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
