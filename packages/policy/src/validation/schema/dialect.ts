/** A revision of JSON Schema. */
export interface SchemaDialect {
  readonly name: "draft-07" | "2019-09" | "2020-12";
  /** Whether `$ref` makes everything beside it mean nothing. */
  readonly refStandsAlone: boolean;
  /** Whether items that `contains` found count as looked at. */
  readonly containsCounts: boolean;
}

const draft07: SchemaDialect = { name: "draft-07", refStandsAlone: true, containsCounts: false };
const draft2019: SchemaDialect = { name: "2019-09", refStandsAlone: false, containsCounts: false };
const draft2020: SchemaDialect = { name: "2020-12", refStandsAlone: false, containsCounts: true };

/**
 * What a schema of a tool is written in when it does not say: so the protocol has it since
 * 2025-11-25.
 */
export const defaultDialect: SchemaDialect = draft2020;

// Draft-06 has nothing that draft-07 reads otherwise.
const dialects: ReadonlyMap<string, SchemaDialect> = new Map([
  ["json-schema.org/draft-06/schema", draft07],
  ["json-schema.org/draft-07/schema", draft07],
  ["json-schema.org/draft/2019-09/schema", draft2019],
  ["json-schema.org/draft/2020-12/schema", draft2020],
  ["json-schema.org/schema", draft2020],
]);

/** The dialect that a `$schema` names; `undefined` for one that is not known here. */
export function schemaDialectOf($schema: unknown): SchemaDialect | undefined {
  return typeof $schema === "string" ? dialects.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
}

/** How a keyword holds other schemas. */
export type SubschemaShape = "one" | "list" | "map" | "one-or-list";

/**
 * The keywords that hold schemas. Those of an older dialect that a newer one has no more mean the
 * same there, because servers leave `$schema` away and write what their library knows.
 */
export const subschemas: ReadonlyMap<string, SubschemaShape> = new Map([
  ["$defs", "map"],
  ["definitions", "map"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["dependentSchemas", "map"],
  ["dependencies", "map"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["items", "one-or-list"],
  ["additionalItems", "one"],
  ["unevaluatedItems", "one"],
  ["contains", "one"],
  ["additionalProperties", "one"],
  ["unevaluatedProperties", "one"],
  ["propertyNames", "one"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
]);
