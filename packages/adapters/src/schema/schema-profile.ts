/**
 * How sure a rule of a profile is: `"documented"` by the vendor, `"sdk"` seen in the vendor's own
 * package, `"reported"` by users whose requests were refused, `"assumed"` because nobody says it
 * and the other side of the doubt costs the whole request.
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
  /**
   * Which characters it may have. `"identifier"`: letters, digits and `_`; `"dashes"`: those and
   * `-`.
   */
  readonly characters: "identifier" | "dashes";
  /** Whether it must begin with a letter or `_`. */
  readonly startsWithLetter: boolean;
}

/** Keywords that cost a request. */
export interface RefusedKeywords {
  readonly keywords: readonly string[];
  /** `"root"`: of the arguments themselves; `"nested"`: anywhere inside; `"anywhere"`: both. */
  readonly at: "root" | "nested" | "anywhere";
}

/** What names of properties an API takes: letters, digits, `_`, and the `others`. */
export interface PropertyNameRules {
  readonly maxLength: number;
  readonly others: string;
  readonly startsWithLetter: boolean;
  readonly at: "root" | "anywhere";
}

/** What an API takes of JSON Schema. A rule that is absent is one that it is not known to have. */
export interface SchemaRules {
  /**
   * What becomes of a `$ref` into the same schema: `"recursive"`, any; `"local"`, those that do not
   * lead back to themselves; `"none"`. One into another document is never kept, and never fetched.
   */
  readonly refs: ProfileRule<"recursive" | "local" | "none">;
  /** Refused, each with its own source. */
  readonly refused: readonly ProfileRule<RefusedKeywords>[];
  /** All that is taken; whatever else is refused. */
  readonly keywords?: ProfileRule<readonly string[]> | undefined;
  /** Levels of schemas, the root being 1. */
  readonly maxDepth?: ProfileRule<number> | undefined;
  /** Most properties of one schema, over all its levels. */
  readonly maxProperties?: ProfileRule<number> | undefined;
  /** Most values of all `enum`s. */
  readonly maxEnumValues?: ProfileRule<number> | undefined;
  /** Most characters of all names, definitions, and texts of `enum` and `const`. */
  readonly maxTextLength?: ProfileRule<number> | undefined;
  readonly propertyNames?: ProfileRule<PropertyNameRules> | undefined;
  /** Every schema says its type, or is a union. */
  readonly needsType?: ProfileRule<true> | undefined;
  /** An array says what its items are. */
  readonly needsItems?: ProfileRule<true> | undefined;
  /** An object has `properties`, if none. */
  readonly needsProperties?: ProfileRule<true> | undefined;
  /** What is required is declared. */
  readonly needsDeclared?: ProfileRule<true> | undefined;
  /** Lists of types are refused; `null` among types is written as `nullable: true`. */
  readonly nullable?: ProfileRule<true> | undefined;
  /** Beside `anyOf` stands nothing else. */
  readonly loneUnions?: ProfileRule<true> | undefined;
  /** What an `enum` may hold. */
  readonly enums?: ProfileRule<"texts" | "scalars"> | undefined;
  /** The only formats that are taken, by type. */
  readonly formats?: ProfileRule<readonly string[]> | undefined;
  /** Patterns without what looks around or back. */
  readonly plainPatterns?: ProfileRule<true> | undefined;
  /** `minItems` of at most this. */
  readonly maxMinItems?: ProfileRule<number> | undefined;
  /** Every object has `additionalProperties: false`. */
  readonly closed?: ProfileRule<true> | undefined;
  /** Every property is required. */
  readonly allRequired?: ProfileRule<true> | undefined;
}

/** What strict mode counts over all tools of one request. */
export interface StrictTotals {
  readonly tools: number;
  /** Properties that may be left out. */
  readonly optional: number;
  /** Schemas with `anyOf` or a list of types. */
  readonly unions: number;
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
  readonly schema: SchemaRules;
  /** Whether these are the rules for a schema that the API enforces. */
  readonly enforced: boolean;
  /** The rules of the same API for tools in strict mode. Absent: it has none. */
  readonly strict?: SchemaProfile | undefined;
  /** What strict mode counts over one request. */
  readonly strictTotals?: ProfileRule<StrictTotals> | undefined;
}
