import type { JsonObject } from "@hostside/core";
import { CannotAdapt, noteLess, type Adaptation } from "./adaptation.ts";
import { without, withMembers } from "./keywords.ts";

/**
 * A schema that takes about any value, where each schema has to say its type: of arrays, only those
 * of texts. Throws {@linkcode CannotAdapt} where schemas are enforced.
 */
export function anyValue(node: JsonObject, adaptation: Adaptation): JsonObject {
  const { enforced, schema: rules } = adaptation.profile;
  if (enforced) throw new CannotAdapt("a value of any type");
  noteLess(adaptation, "a value of any type written as a union of types");
  const isNullable = rules.nullable !== undefined;
  const parts = [
    { type: "string", ...(isNullable && { nullable: true }) },
    { type: "number" },
    { type: "boolean" },
    { type: "object", properties: {} },
    { type: "array", items: { type: "string" } },
    ...(isNullable ? [] : [{ type: "null" }]),
  ];
  return withMembers(without(node, "type"), { anyOf: parts });
}
