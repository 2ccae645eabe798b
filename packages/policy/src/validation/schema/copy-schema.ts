/** A schema that is an object; without a prototype, so that each of its members is its own. */
export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

/** What was found out about a schema while it was copied. */
export interface SchemaCopy {
  readonly schema: unknown;
  /**
   * All names of members. More than the keywords: what is said of a keyword errs on the safe side.
   */
  readonly names: ReadonlySet<string>;
}

const deepest = 100;
const mostNodes = 50_000;

/**
 * Copies a schema that may be hostile: cyclic, endless, changed meanwhile. Throws a `TypeError`
 * that says why in words of this host for one that is nested more than 100 deep, has more than
 * 50,000 values, or holds what JSON has not.
 */
export function copySchema(schema: unknown): SchemaCopy {
  const names = new Set<string>();
  let nodes = 0;
  const copy = (value: unknown, depth: number): unknown => {
    nodes += 1;
    if (nodes > mostNodes) throw new TypeError(`it has more than ${mostNodes} values`);
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value !== "object") throw new TypeError("it holds what is no JSON");
    if (depth > deepest) throw new TypeError(`it is nested more than ${deepest} deep`);
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    const members: Record<string, unknown> = Object.create(null);
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      names.add(name);
      members[name] = copy(member, depth + 1);
    }
    return members;
  };
  return { schema: copy(schema, 0), names };
}

/** Whether a part of a copied schema is an object. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
