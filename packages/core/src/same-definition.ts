import { sameJson } from "./same-json.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * Whether two definitions are the same to whoever selects or calls the tool: all their members mean
 * the same, whatever their order. The fingerprint and the entry that it is made of do not count: a
 * copy has none, and what they tell of is for those who pin it.
 */
export function sameDefinition(a: ToolDefinition, b: ToolDefinition): boolean {
  return a === b || sameJson(withoutFingerprint(a), withoutFingerprint(b));
}

// Never reads it: it may cost a hash.
function withoutFingerprint(definition: ToolDefinition): object {
  const isListed = (member: string): boolean => Object.prototype.propertyIsEnumerable.call(definition, member);
  if (!isListed("fingerprint") && !isListed("entry")) return definition;
  const others = Object.entries(definition).filter(([member]) => member !== "fingerprint" && member !== "entry");
  return Object.fromEntries(others);
}
