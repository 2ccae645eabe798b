/** The host did what it must not do, or did not do what it must. The message says what was seen. */
export class Violation extends Error {
  override readonly name: string = "Violation";
}

/**
 * The scenario does not apply to the host, which does not do what it is about and need not. The
 * message says what that is.
 */
export class NotOwed extends Error {
  override readonly name: string = "NotOwed";
}

/** Throws a {@linkcode Violation} that says `otherwise` unless the condition holds. */
export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Violation(otherwise);
}
