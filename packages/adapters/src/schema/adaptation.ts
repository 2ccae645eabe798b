import type { JsonObject } from "@hostside/core";
import type { SchemaProfile } from "./schema-profile.ts";

/** One schema while it is adapted. */
export interface Adaptation {
  readonly profile: SchemaProfile;
  readonly root: JsonObject;
  /** Says whether `$ref` is kept. */
  readonly keepsRefs: boolean;
  /** The changes, in words, each once. */
  readonly changes: Set<string>;
  /** The server's names of properties, by the names that stand for them. */
  readonly renamed: Map<string, string>;
  /** References that were kept. */
  readonly refs: Set<string>;
  readonly count: { references: number };
}

/** Thrown inside an adaptation: the schema cannot be made to fit, and the message says why. */
export class CannotAdapt extends Error {}

/** Notes what was done. */
export function note({ changes }: Adaptation, change: string): void {
  changes.add(change);
}

/** Says whether a profile takes a keyword. */
export function takes({ profile }: Adaptation, keyword: string, isRoot: boolean): boolean {
  const { keywords, refused = [], refusedAtRoot } = profile;
  if (keywords !== undefined && !keywords.includes(keyword)) return false;
  return !(refused.includes(keyword) || (isRoot && refusedAtRoot.includes(keyword)));
}
