import type { JsonObject } from "@hostside/core";
import type { SchemaProfile } from "./schema-profile.ts";

/** What becomes of one schema while it is adapted. */
export interface Adaptation {
  readonly profile: SchemaProfile;
  /** What was done, in words, each once. */
  readonly changes: Set<string>;
  /**
   * Whether the adapted schema takes what the given one does not (`more`), and does not take what
   * that one does (`less`).
   */
  readonly accepts: { more: boolean; less: boolean };
  /**
   * Inside what turns the meaning round, such as `not`: a schema that takes more would make the
   * whole take less.
   */
  readonly exactly: boolean;
  /**
   * Names of properties as they are declared, by the server's own; of those alone that had to be
   * others.
   */
  readonly renamed: Map<string, string>;
  /** By schema: the properties whose `null` means that they are left out. */
  readonly stripped: WeakMap<JsonObject, ReadonlySet<string>>;
  /** By schema: the properties whose `null` is the server's own. */
  readonly nullable: WeakMap<JsonObject, ReadonlySet<string>>;
}

/** A new adaptation, in which nothing was done. */
export function startAdaptation(profile: SchemaProfile): Adaptation {
  return {
    profile,
    changes: new Set(),
    accepts: { more: false, less: false },
    exactly: false,
    renamed: new Map(),
    stripped: new WeakMap(),
    nullable: new WeakMap(),
  };
}

/**
 * Thrown inside an adaptation, never out of it: the schema cannot be made to fit, and the message
 * says why.
 */
export class CannotAdapt extends Error {}

/**
 * Thrown inside an adaptation, never out of it: what may be done by {@linkcode Adaptation.exactly}
 * is not enough.
 */
export class NotExact extends Error {}

/** Notes a change that leaves what is valid as it is. */
export function noteChange(adaptation: Adaptation, change: string): void {
  adaptation.changes.add(change);
}

/**
 * Notes a change after which more is valid than before; the tool's server looks at the arguments
 * anyway.
 */
export function noteMore(adaptation: Adaptation, change: string): void {
  if (adaptation.exactly) throw new NotExact(change);
  adaptation.accepts.more = true;
  adaptation.changes.add(change);
}

/** Notes a change after which less is valid than before. */
export function noteLess(adaptation: Adaptation, change: string): void {
  if (adaptation.exactly) throw new NotExact(change);
  adaptation.accepts.less = true;
  adaptation.changes.add(change);
}

/**
 * What `attempt` makes when every change leaves what is valid as it is; else `undefined`, and
 * nothing is noted.
 */
export function exactlyOr<T>(adaptation: Adaptation, attempt: (exact: Adaptation) => T): T | undefined {
  const changes = new Set<string>();
  try {
    const made = attempt({ ...adaptation, exactly: true, changes });
    for (const change of changes) adaptation.changes.add(change);
    return made;
  } catch (error) {
    if (error instanceof NotExact) return undefined;
    throw error;
  }
}
