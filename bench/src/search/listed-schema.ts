/**
 * What a search may read of an input schema: of each parameter its name, type, text and values, and
 * one level of what is inside of it without the texts. It says what a tool takes; no input can be
 * checked with it.
 */
export function listedSchema(schema: unknown, depth: number = 0): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return {};
  const { type, description, enum: values, properties, required, items, anyOf, oneOf } = schema as Schema;
  const choices = anyOf ?? oneOf;
  return {
    type,
    ...(depth <= 1 && { description }),
    enum: values,
    ...(depth === 0 && { required }),
    ...(depth < 2 && properties !== undefined && { properties: mapValues(properties, depth + 1) }),
    ...(depth < 2 && items !== undefined && { items: listedSchema(items, depth + 1) }),
    ...(depth < 2 && choices !== undefined && { anyOf: choices.map((choice) => listedSchema(choice, depth + 1)) }),
  };
}

interface Schema {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: unknown;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
}

function mapValues(properties: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, listedSchema(value, depth)]));
}
