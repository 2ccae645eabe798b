/** A member of a value that may be anything; `undefined` where it cannot be read. */
export function member(owner: unknown, name: string): unknown {
  try {
    return typeof owner === "object" && owner !== null ? (owner as Record<string, unknown>)[name] : undefined;
  } catch {
    // What throws when it is looked at is not there.
    return undefined;
  }
}
