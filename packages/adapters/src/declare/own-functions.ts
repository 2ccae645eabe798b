import { assertNames } from "@hostside/core/implement";

/**
 * The part of an adapter's options that says what a product declares beside the tools of the
 * source.
 */
export interface OwnFunctionsOptions {
  /**
   * Names of functions that the product declares and answers itself: calls of them are left to it,
   * no tool of the source is declared by such a name, and they count among the tools of a request.
   * Default none: a call of a name that nobody knows is answered, because an API refuses a
   * conversation with a call that has no answer. Static tools of a toolbox need not be here; they
   * are answered like all others.
   */
  readonly ownFunctions?: readonly string[] | undefined;
}

/** The names as a set. Throws a `TypeError` unless they are an array of strings. */
export function readOwnFunctions(names: readonly string[] = []): ReadonlySet<string> {
  assertNames("ownFunctions", names);
  return new Set(names);
}
