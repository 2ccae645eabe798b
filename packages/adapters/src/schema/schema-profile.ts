/**
 * How sure a rule of a profile is: `"documented"` by the vendor, `"sdk"` seen in the vendor's own package, `"reported"` by users whose
 * requests were refused, `"assumed"` because the neighbours have it and it costs nothing.
 */
export type Certainty = "documented" | "sdk" | "reported" | "assumed";

/** One rule of an API: what it is, how sure that is, and who says so. */
export interface ProfileRule<T> {
  readonly value: T;
  readonly certainty: Certainty;
  /** A page, a type of the vendor's package, or a thread in which somebody reports it. */
  readonly source: string;
}

/** What names of functions an API takes. */
export interface NameRules {
  /** Most characters of a name. */
  readonly maxLength: number;
  /** Which characters it may have. `"identifier"`: letters, digits and `_`; `"dashes"`: those and `-`. */
  readonly characters: "identifier" | "dashes";
  /** Whether it must begin with a letter or `_`. */
  readonly startsWithLetter: boolean;
}

/** What one model API takes of tools and of JSON Schema, as data. */
export interface SchemaProfile {
  /** Such as `"openai-chat"`. */
  readonly id: string;
  readonly names: ProfileRule<NameRules>;
  /** In UTF-16 units; a longer description is cut. Absent: no limit is known. */
  readonly maxDescriptionLength?: ProfileRule<number> | undefined;
  /** Most tools of one request. Absent: no limit is known. */
  readonly maxTools?: ProfileRule<number> | undefined;
}
