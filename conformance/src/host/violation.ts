/** The host did what it must not do, or did not do what it must. The message says what was seen. */
export class Violation extends Error {
  override readonly name: string = "Violation";
}

/** Throws a {@linkcode Violation} that says `otherwise` unless the condition holds. */
export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Violation(otherwise);
}
