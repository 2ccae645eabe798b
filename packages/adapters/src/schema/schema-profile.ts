/** Which names an API takes for its tools. */
export interface NameRules {
  readonly maxLength: number;
  /** Letters, digits and `_` (`"identifier"`), and also `-` (`"dashes"`). */
  readonly characters: "identifier" | "dashes";
  /** Says whether the first character must be a letter or `_`. */
  readonly startsWithLetter: boolean;
}

/** The rules of one model API for tools and JSON Schema, as data. Absent rules restrict nothing. */
export interface SchemaProfile {
  /** Such as `"openai"`. */
  readonly id: string;
  readonly names: NameRules;
  /** In UTF-16 units; a longer description is cut. */
  readonly maxDescriptionLength?: number;
  /** Most tools of one request. */
  readonly maxTools?: number;
  /** Says whether `$ref` inside the schema is kept. Otherwise references are written out. */
  readonly takesRefs: boolean;
  /** Keywords that the schema of the arguments itself must not have. */
  readonly refusedAtRoot: readonly string[];
  /** Keywords that no schema may have. */
  readonly refused?: readonly string[];
  /** The only keywords that are taken. */
  readonly keywords?: readonly string[];
  /** Levels of nesting, the root included. */
  readonly maxDepth?: number;
  /** Names of properties that are taken. */
  readonly propertyNames?: RegExp;
  /** Says whether names are looked at in the schema of the arguments itself alone. */
  readonly onlyRootNames?: boolean;
  /** Every schema names its type, declares what it requires, and has nothing beside an `anyOf`. */
  readonly isTyped?: boolean;
  readonly needsItems?: boolean;
  readonly needsProperties?: boolean;
  /** The permitted values of an `enum`. */
  readonly enums?: "texts" | "scalars";
  readonly formats?: readonly string[];
  /** Says whether patterns must not look around or back. */
  readonly plainPatterns?: boolean;
}
