import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { propertiesOf, requiredOf, subschemasOf } from "../schema/keywords.ts";
import type { StrictTotals } from "../schema/schema-profile.ts";

/** What one tool adds to what strict mode counts over a request. */
export type StrictCount = Omit<StrictTotals, "tools">;

/** Counts the properties that may be left out, and the schemas with `anyOf` or a list of types. */
export function countStrict(schema: JsonObject): StrictCount {
  let optional = 0;
  let unions = 0;
  const waiting: JsonObject[] = [schema];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const required = new Set(requiredOf(node));
    for (const name of propertiesOf(node).keys()) if (!required.has(name)) optional += 1;
    if (node["anyOf"] !== undefined || Array.isArray(node["type"])) unions += 1;
    for (const { schema: sub } of subschemasOf(node)) if (isJsonObject(sub)) waiting.push(sub);
  }
  return { optional, unions };
}
