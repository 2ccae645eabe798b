import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/**
 * A form's answer with the schema's defaults in place of what the human left open (SEP-1034). Only
 * the form's own fields: the schemas of forms are flat by specification.
 */
export function applyDefaults(requestedSchema: unknown, content: JsonObject): JsonObject {
  const properties = isJsonObject(requestedSchema) ? requestedSchema["properties"] : undefined;
  if (!isJsonObject(properties)) return content;
  const missing = Object.entries(properties).filter(
    ([name, field]) => isJsonObject(field) && field["default"] !== undefined && !Object.hasOwn(content, name),
  );
  const defaults = missing.map(([name, field]) => [name, isJsonObject(field) ? field["default"] : undefined]);
  // fromEntries defines properties, so that a field called "__proto__" is a field like any other.
  return { ...Object.fromEntries(defaults), ...content };
}
