import { truncateText, type JsonObject, type JsonValue, type ServerWords } from "@hostside/core";
import { sameJson } from "@hostside/core/implement";
import { diffSchemas } from "./diff-schemas.ts";
import type { ToolChange } from "./tool-change.ts";
import type { LockedTool, ToolLock } from "./tool-lock.ts";

/** What changed from one lock to another, tool by tool in the order of names. */
export function diffLocks(before: ToolLock, after: ToolLock): readonly ToolChange[] {
  const changes: ToolChange[] = [];
  if (before.server !== undefined && after.server !== undefined)
    changes.push(...diffWords(before.server, after.server));
  const old = new Map(before.tools.map((tool) => [tool.name, tool]));
  const now = new Map(after.tools.map((tool) => [tool.name, tool]));
  for (const name of [...new Set([...old.keys(), ...now.keys()])].sort())
    changes.push(...diffTool(name, old.get(name), now.get(name)));
  return changes;
}

/** What a server says of itself otherwise now. */
export function diffWords(before: ServerWords, after: ServerWords): readonly ToolChange[] {
  return (["title", "description", "instructions"] as const)
    .filter((path) => before[path] !== after[path])
    .map((path) => ({ kind: "security", path, what: describe(before[path], after[path]) }));
}

function diffTool(tool: string, before: LockedTool | undefined, after: LockedTool | undefined): readonly ToolChange[] {
  if (before === undefined) return [{ kind: "compatible", tool, path: "", what: "is new" }];
  if (after === undefined) return [{ kind: "breaking", tool, path: "", what: "is gone" }];
  if (before.hash === after.hash) return [];
  return diffDefinitions(before.definition, after.definition).map((change) => ({ tool, ...change }));
}

function diffDefinitions(before: JsonObject, after: JsonObject): readonly ToolChange[] {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return members.flatMap((member): readonly ToolChange[] => {
    const [old, now] = [before[member], after[member]];
    if (sameJson(old, now)) return [];
    switch (member) {
      case "inputSchema":
      case "outputSchema":
        return diffSchemas(old, now, member);
      case "annotations":
        return diffAnnotations(old, now);
      default:
        // A description steers the model, a title or an icon what a person sees, and _meta what a
        // host does.
        return [{ kind: "security", path: member, what: describe(old, now) }];
    }
  });
}

// Absent means the worst that a hint may mean (specification, ToolAnnotations).
const assumed: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function diffAnnotations(before: JsonValue | undefined, after: JsonValue | undefined): readonly ToolChange[] {
  const [old, now] = [toObject(before), toObject(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().flatMap((hint): readonly ToolChange[] => {
    if (sameJson(old[hint], now[hint])) return [];
    const [was, is] = [old[hint] ?? assumed[hint], now[hint] ?? assumed[hint]];
    // Writing down what was assumed before changes nothing for anyone.
    const kind = was === is ? "compatible" : "security";
    return [{ kind, path: `annotations.${hint}`, what: describe(old[hint], now[hint]) }];
  });
}

function toObject(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function describe(before: JsonValue | undefined, after: JsonValue | undefined): string {
  if (before === undefined) return `is there now: ${quote(after)}`;
  return after === undefined ? `is gone; it was ${quote(before)}` : `was ${quote(before)}, is ${quote(after)}`;
}

function quote(value: JsonValue | undefined): string {
  return truncateText(JSON.stringify(value) ?? "", 200);
}
