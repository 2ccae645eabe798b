import type { ServerSpec } from "./server-spec.ts";

/**
 * A frozen copy of a spec that has passed `assertServerSpec`: what its owner does to the original later changes nothing. Functions, and
 * objects of a class such as a transport of the product's own, are kept as they are.
 */
export function copySpec(spec: ServerSpec): ServerSpec {
  return copyData(spec);
}

// Bounded by the shape of a spec, which has no place for anything deeper.
function copyData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // A copy has the type of what it is a copy of.
  if (Array.isArray(value)) return Object.freeze(value.map(copyData)) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // fromEntries defines members, so that a header called "__proto__" is one like any other.
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyData(member)])),
  ) as T;
}
