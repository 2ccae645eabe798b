import { sameJson } from "./same-json.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * Whether two definitions are the same to whoever selects or calls the tool: all their members mean the same, whatever their order. The
 * fingerprint does not count: a copy has none, and what it tells of is for those who pin it.
 */
export function sameDefinition(a: ToolDefinition, b: ToolDefinition): boolean {
  return a === b || sameJson(withoutFingerprint(a), withoutFingerprint(b));
}

// Never reads it: it may cost a hash.
function withoutFingerprint(definition: ToolDefinition): object {
  if (!Object.prototype.propertyIsEnumerable.call(definition, "fingerprint")) return definition;
  return Object.fromEntries(Object.entries(definition).filter(([member]) => member !== "fingerprint"));
}
