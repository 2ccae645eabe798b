/** How large a schema may be for somebody to look at it. */
export const schemaBounds = { maxDepth: 256, maxValues: 20_000, maxTextLength: 1_048_576 } as const;

/**
 * Why a schema is too large to be looked at, or `undefined`. Goes by a list of its own, so that no
 * depth exhausts the stack, and counts what it meets, so that a value that holds itself ends, too.
 */
export function tooLarge(schema: unknown): string | undefined {
  const waiting: (readonly [unknown, number])[] = [[schema, 0]];
  let values = 0;
  let length = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next;
    values += 1;
    if (values + waiting.length > schemaBounds.maxValues)
      return `its schema has more than ${schemaBounds.maxValues} values`;
    if (depth > schemaBounds.maxDepth) return `its schema is nested more than ${schemaBounds.maxDepth} deep`;
    if (typeof value === "string") length += value.length;
    if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) {
        if (!Array.isArray(value)) length += name.length;
        waiting.push([Reflect.get(value, name), depth + 1]);
        if (waiting.length > schemaBounds.maxValues) return `its schema has more than ${schemaBounds.maxValues} values`;
      }
    }
    if (length > schemaBounds.maxTextLength) return `its schema has more than ${schemaBounds.maxTextLength} characters`;
  }
  return undefined;
}
