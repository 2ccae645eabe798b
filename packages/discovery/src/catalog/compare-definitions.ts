import type { ToolsChange } from "@hostside/core";
import { sameDefinition } from "@hostside/core/implement";
import type { ToolboxCatalog } from "./catalog-snapshot.ts";

/**
 * What changed between two snapshots, by the names under which tools are listed; `undefined` when
 * nothing did.
 */
export function findChanges(before: ToolboxCatalog, after: ToolboxCatalog): ToolsChange | undefined {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  for (const [key, { definition }] of after.tools) {
    const old = before.tools.get(key)?.definition;
    if (old === undefined) added.push(definition.name);
    else if (!sameDefinition(old, definition)) changed.push(definition.name);
  }
  for (const [key, { definition }] of before.tools) if (!after.tools.has(key)) removed.push(definition.name);
  if (added.length + removed.length + changed.length === 0) return undefined;
  return { added: added.sort(), removed: removed.sort(), changed: changed.sort() };
}
