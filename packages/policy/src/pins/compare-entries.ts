import type { JsonObject } from "@hostside/core";
import { diffLocks } from "./diff-locks.ts";
import type { ToolChange } from "./tool-change.ts";
import { lockTools } from "./tool-lock.ts";

// More than a person reads.
const mostChanges = 500;

/**
 * What changed between two entries of one tool. At most 500 changes. Texts in them are the
 * server's: untrusted.
 */
export function compareEntries(before: JsonObject, after: JsonObject): readonly ToolChange[] {
  return diffLocks(lockTools([before], undefined), lockTools([after], undefined)).slice(0, mostChanges);
}

/** How many changes of which kind, such as `1 breaking, 2 security-relevant`. Empty for none. */
export function summarizeChanges(changes: readonly ToolChange[]): string {
  const kinds = [
    ["breaking", "breaking"],
    ["security", "security-relevant"],
    ["compatible", "compatible"],
  ] as const;
  return kinds
    .map(([kind, word]) => ({ count: changes.filter((change) => change.kind === kind).length, word }))
    .filter(({ count }) => count > 0)
    .map(({ count, word }) => `${count} ${word}`)
    .join(", ");
}
