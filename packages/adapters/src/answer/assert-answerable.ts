import { kindOf } from "@hostside/core/implement";

/** What an `answer()` takes. */
export interface Answerable {
  /** In words: `"a response of the model"`. */
  readonly takes: string;
  /** Members by which it is known: one of them must be there, in itself or its class. */
  readonly members: readonly string[];
  /** Those of them that must be lists. */
  readonly lists: readonly string[];
  /** Whether the lists may be absent or `null`, as where there are no calls. */
  readonly optional: boolean;
}

/**
 * Throws a `TypeError` that says what `answer()` takes for anything else, in which no call would be
 * seen.
 */
export function assertAnswerable(given: unknown, { takes, members, lists, optional }: Answerable): void {
  const named = `answer() takes ${takes}`;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`${named}, not ${kindOf(given)}`);
  }
  if (!members.some((member) => member in given)) {
    throw new TypeError(`${named}; this has no ${members.join(", ")}`);
  }
  for (const list of lists) {
    const value: unknown = Reflect.get(given, list);
    if (optional && (value === undefined || value === null)) continue;
    if (!Array.isArray(value)) {
      throw new TypeError(`${named}; its ${list} must be a list, not ${kindOf(value)}`);
    }
  }
}
