import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { isSchema, schemasOf, typesOf } from "./keywords.ts";
import { resolveRef } from "./resolve-ref.ts";

const mostSteps = 200;

/**
 * Whether `null` is valid by a schema; `undefined` where that cannot be said. References are looked
 * up in `root`.
 */
export function allowsNull(schema: JsonObject | boolean, root: JsonObject): boolean | undefined {
  return judge(schema, root, { left: mostSteps });
}

function judge(schema: unknown, root: JsonObject, steps: { left: number }): boolean | undefined {
  steps.left -= 1;
  if (steps.left < 0) return undefined;
  if (!isSchema(schema)) return undefined;
  if (typeof schema === "boolean") return schema;
  if (typesOf(schema)?.includes("null") === false) return false;
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(null)) return false;
  if ("const" in schema && schema["const"] !== null) return false;
  const inner = (sub: unknown): boolean | undefined => judge(sub, root, steps);
  const verdicts: (boolean | undefined)[] = schemasOf(schema, "allOf").map(inner);
  const { $ref: ref, anyOf, oneOf, not } = schema;
  if (typeof ref === "string") verdicts.push(inner(resolveRef(root, ref)));
  if (anyOf !== undefined) verdicts.push(someOf(schemasOf(schema, "anyOf").map(inner)));
  if (oneOf !== undefined) {
    const parts = schemasOf(schema, "oneOf").map(inner);
    verdicts.push(parts.includes(undefined) ? undefined : parts.filter((one) => one === true).length === 1);
  }
  if (not !== undefined) {
    const verdict = inner(not);
    verdicts.push(verdict === undefined ? undefined : !verdict);
  }
  if (isJsonObject(schema["if"])) verdicts.push(undefined);
  if (verdicts.includes(false)) return false;
  return verdicts.includes(undefined) ? undefined : true;
}

function someOf(verdicts: readonly (boolean | undefined)[]): boolean | undefined {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(undefined) ? undefined : false;
}
