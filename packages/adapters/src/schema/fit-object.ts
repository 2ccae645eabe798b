import type { JsonObject } from "@hostside/core";
import { CannotAdapt, noteChange, noteLess, noteMore, type Adaptation } from "./adaptation.ts";
import { allowsNull } from "./allows-null.ts";
import { anyValue } from "./any-value.ts";
import { describeLoss } from "./describe-loss.ts";
import { isObjectSchema } from "./find-refusals.ts";
import type { SchemaPosition } from "./place.ts";
import { memberOf, propertiesOf, requiredOf, toObject, typesOf, without, withMembers } from "./keywords.ts";
import { isLegalPropertyName, legalPropertyName } from "./property-names.ts";

type Schema = JsonObject | boolean;

/** A schema whose properties were adapted, and the same before they were. */
interface FittedObject {
  readonly node: JsonObject;
  readonly before: JsonObject;
}

/**
 * A schema of objects whose properties the API takes, by their names and by whether they may be
 * left out.
 */
export function fitObject(fitted: FittedObject, place: SchemaPosition, adaptation: Adaptation): JsonObject {
  if (!isObjectSchema(fitted.node)) return fitted.node;
  let node = declareRequired(fitted.node, adaptation);
  node = close(node, place, adaptation);
  node = requireAll({ node, before: fitted.before }, place, adaptation);
  return rename(node, place, adaptation);
}

function declareRequired(node: JsonObject, adaptation: Adaptation): JsonObject {
  const { needsDeclared, needsType } = adaptation.profile.schema;
  const properties = propertiesOf(node);
  const missing = requiredOf(node).filter((name) => !properties.has(name));
  if (needsDeclared === undefined || missing.length === 0) return node;
  if (node["additionalProperties"] !== undefined && node["additionalProperties"] !== true) {
    noteMore(adaptation, "required names that are not declared left out");
    const kept = requiredOf(node).filter((name) => properties.has(name));
    return withMembers(node, { required: kept.length === 0 ? undefined : kept });
  }
  noteChange(adaptation, "required names declared");
  const added = missing.map((name): [string, Schema] => [
    name,
    needsType === undefined ? {} : anyValue({}, adaptation),
  ]);
  return withMembers(node, { properties: toObject([...properties, ...added]) });
}

function close(node: JsonObject, { depth }: SchemaPosition, adaptation: Adaptation): JsonObject {
  const rest = node["additionalProperties"];
  if (adaptation.profile.schema.closed === undefined || rest === false) return node;
  // No properties of the arguments themselves mean that there are none; further inside, that nobody
  // knows their names.
  const isNamed = depth > 1 ? propertiesOf(node).size > 0 : node["properties"] !== undefined;
  if (rest !== undefined || !isNamed) throw new CannotAdapt("an object of any names");
  noteLess(adaptation, "an object closed to names that it does not declare");
  return withMembers(node, { additionalProperties: false });
}

function requireAll({ node, before }: FittedObject, place: SchemaPosition, adaptation: Adaptation): JsonObject {
  if (adaptation.profile.schema.allRequired === undefined) return node;
  const required = new Set(requiredOf(node));
  const given = propertiesOf(before);
  const stripped = new Set<string>();
  const nullable = new Set<string>();
  const properties = Array.from(propertiesOf(node)).map(([name, schema]): [string, Schema] => {
    const original = given.get(name) ?? schema;
    const takesNull = allowsNull(original, place.root);
    if (required.has(name)) {
      if (takesNull !== false) nullable.add(name);
      return [name, schema];
    }
    if (takesNull !== false && memberOf(original, "default") !== null) {
      throw new CannotAdapt("a property that may be left out and may be null");
    }
    stripped.add(name);
    return [name, takesNull === false ? makeNullable(schema, adaptation) : schema];
  });
  if (stripped.size > 0) noteChange(adaptation, "properties that may be left out are null instead");
  const names = properties.map(([name]) => name);
  const made = withMembers(node, { properties: toObject(properties), required: names });
  adaptation.stripped.set(made, stripped);
  adaptation.nullable.set(made, nullable);
  return made;
}

function makeNullable(schema: Schema, adaptation: Adaptation): Schema {
  if (typeof schema === "boolean") return schema;
  const types = typesOf(schema);
  const values = schema["enum"];
  if (types !== undefined && schema["anyOf"] === undefined && !("const" in schema)) {
    const made = withMembers(schema, {
      type: [...types, "null"],
      ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
    });
    carryFacts(adaptation, [schema, made]);
    return made;
  }
  const { description, anyOf } = schema;
  const isUnion = Array.isArray(anyOf) && Object.keys(schema).every((one) => one === "anyOf" || one === "description");
  const parts: readonly unknown[] = isUnion ? anyOf : [without(schema, "description")];
  return toObject([
    ["description", description],
    ["anyOf", [...parts, { type: "null" }]],
  ]);
}

// What else speaks of members by their names.
const byName = [
  "dependentRequired",
  "dependentSchemas",
  "propertyNames",
  "patternProperties",
  "if",
  "then",
  "else",
  "not",
];

function rename(node: JsonObject, place: SchemaPosition, adaptation: Adaptation): JsonObject {
  const { propertyNames } = adaptation.profile.schema;
  if (propertyNames === undefined || (propertyNames.value.at === "root" && place.depth > 1)) return node;
  const properties = propertiesOf(node);
  const odd = Array.from(properties.keys()).filter((name) => !isLegalPropertyName(name, propertyNames.value));
  if (odd.length === 0) return node;
  const named = new Map<string, string>();
  for (const name of odd) {
    let attempt = 1;
    let legal = legalPropertyName(name, propertyNames.value);
    while (properties.has(legal) || (adaptation.renamed.get(legal) ?? name) !== name) {
      attempt += 1;
      legal = legalPropertyName(name, propertyNames.value, attempt);
    }
    adaptation.renamed.set(legal, name);
    named.set(name, legal);
  }
  // Where other names are taken, the old one still is, with any value.
  if (node["additionalProperties"] === false) noteChange(adaptation, "names of properties written otherwise");
  else noteMore(adaptation, "names of properties written otherwise");
  const lost = byName.filter((keyword) => node[keyword] !== undefined);
  for (const keyword of lost) noteMore(adaptation, `${keyword} left out`);
  const nameOf = (name: string): string => named.get(name) ?? name;
  const required = requiredOf(node).map(nameOf);
  const made = withMembers(describeLoss(node, lost), {
    properties: toObject(
      Array.from(properties, ([name, schema]) => [nameOf(name), titled(name, schema, named.has(name))]),
    ),
    ...(node["required"] !== undefined && { required }),
  });
  carryFacts(adaptation, [node, made], nameOf);
  return made;
}

// A model reads what the name was.
function titled(name: string, schema: Schema, isRenamed: boolean): Schema {
  if (!isRenamed || typeof schema === "boolean" || schema["title"] !== undefined || schema["anyOf"] !== undefined)
    return schema;
  return schema["$ref"] === undefined ? withMembers(schema, { title: name.slice(0, 100).toWellFormed() }) : schema;
}

function carryFacts(
  { stripped, nullable }: Adaptation,
  [from, to]: readonly [JsonObject, JsonObject],
  nameOf: (name: string) => string = (name) => name,
): void {
  for (const facts of [stripped, nullable]) {
    const names = facts.get(from);
    if (names !== undefined) facts.set(to, new Set(Array.from(names, nameOf)));
  }
}
