/** The code of an error, if it has one. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/**
 * Throws unless it holds. The text is made only when it is needed: these checks run millions of
 * times.
 */
export function hold(condition: boolean, otherwise: () => string): void {
  if (!condition) throw new Error(otherwise());
}
