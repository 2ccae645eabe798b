import type { SchemaObject } from "./copy-schema.ts";
import type { PatternReader } from "./read-pattern.ts";
import { forbid, type Check } from "./run.ts";
import type { SchemaResource, SchemaDocument } from "./schema-document.ts";

/** One schema object, and what its keywords need to be read. */
export interface KeywordInput {
  readonly schema: SchemaObject;
  readonly resource: SchemaResource;
  readonly document: SchemaDocument;
  /**
   * Whether what was looked at has to be remembered: some schema has `unevaluatedProperties` or
   * `unevaluatedItems`.
   */
  readonly remembers: boolean;
  readonly patterns: PatternReader;
  /** Whether a text has to have the `format` that is asked for, where that can be checked. */
  readonly assertsFormats: boolean;
  /** The check of a subschema of this one. Throws a `TypeError` for what is no schema. */
  readonly sub: (schema: unknown) => Check;
  /** The check of a part of the document, wherever it is. */
  readonly at: (schema: unknown, resource: SchemaResource) => Check;
}

/**
 * Reads keywords of one schema object. `undefined`: it has none of them. Throws a `TypeError` for
 * one that makes no sense.
 */
export type KeywordReader = (input: KeywordInput) => Check | undefined;

/** A member that must be a whole number from 0, if it is there. */
export function readCountKeyword(schema: SchemaObject, keyword: string): number | undefined {
  const value = readNumber(schema, keyword);
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new TypeError(`its ${keyword} is no count`);
}

/** A member that must be a number, if it is there. */
export function readNumber(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword];
  if (value === undefined || typeof value === "number") return value;
  if (typeof value === "boolean")
    throw new TypeError(`its ${keyword} is a boolean, as in draft-04, which is not known`);
  throw new TypeError(`its ${keyword} is no number`);
}

/** A list of texts. */
export function readTexts(value: unknown, keyword: string): readonly string[] {
  if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
  throw new TypeError(`its ${keyword} is no list of texts`);
}

/** The members of an object, by name. */
export function readMembers(value: unknown, keyword: string): readonly (readonly [string, unknown])[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw new TypeError(`its ${keyword} is no object`);
}

/** The check of a subschema that is mostly `false`, where it is known what `false` means. */
export function readRest(schema: unknown, keyword: string, sub: KeywordInput["sub"]): Check | undefined {
  if (schema === undefined) return undefined;
  return schema === false ? forbid(keyword) : sub(schema);
}
