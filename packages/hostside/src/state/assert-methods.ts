/** Throws a `TypeError` for what has not the methods that are called. */
export function assertMethods(what: string, part: unknown, methods: readonly string[]): void {
  const missing = methods.find((method) => !isObject(part) || typeof Reflect.get(part, method) !== "function");
  if (missing !== undefined) throw new TypeError(`${what} must have a method ${missing}()`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
