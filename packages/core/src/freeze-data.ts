/**
 * Freezes a value that came from a server, with all that is in it, and returns it: many readers
 * share it, and none may change it for the others. Goes by a list of its own, because a value can
 * be nested deep enough to exhaust the runtime's stack. What is frozen already is taken to be so
 * throughout.
 */
export function freezeData<T>(value: T): T {
  if (!isOpen(value)) return value;
  Object.freeze(value);
  const waiting: object[] = [value];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const name in node) {
      const member: unknown = Reflect.get(node, name);
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
