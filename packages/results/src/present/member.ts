/** A member of a value that may be anything; `undefined` where it cannot be read. */
export function member(owner: unknown, name: string): unknown {
  try {
    if (typeof owner !== "object" || owner === null) return undefined;
    const found = (owner as Record<string, unknown>)[name];
    // Throws for a proxy that was revoked, as everything does that is done with one.
    Array.isArray(found);
    return found;
  } catch {
    // What throws when it is looked at is not there.
    return undefined;
  }
}
