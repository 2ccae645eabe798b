import { truncateText, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/**
 * The first thing that differs between two listings of the same tools, in words; `undefined` if
 * nothing does. The order of the members of an object says nothing, that of the tools does.
 */
export function describeChange(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  then: string,
): string | undefined {
  const [before, after] = [first, second].map((tools) => tools.map(({ name }) => JSON.stringify(name)));
  if (before?.join() !== after?.join()) return `first ${listed(before)}; ${then} ${listed(after)}`;
  for (const [at, tool] of first.entries()) {
    const change = firstChange(tool, second[at], "");
    if (change === undefined) continue;
    return `${before?.[at]}, ${change.path.slice(1)}: first ${change.before}; ${then} ${change.after}`;
  }
  return undefined;
}

interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function firstChange(before: JsonValue | undefined, after: JsonValue | undefined, path: string): Change | undefined {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return firstOf([...keys].map((key) => firstChange(before[key], after[key], `${path}.${key}`)));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return firstOf(before.map((each: JsonValue, n) => firstChange(each, (after as JsonValue[])[n], `${path}[${n}]`)));
  const [one, other] = [JSON.stringify(before) ?? "nothing", JSON.stringify(after) ?? "nothing"];
  if (one === other) return undefined;
  const from = startOfDifference(one, other);
  return { path, before: cut(one, from), after: cut(other, from) };
}

function firstOf(changes: readonly (Change | undefined)[]): Change | undefined {
  return changes.find((change) => change !== undefined);
}

const mostShown = 80;

// A little of what is the same, to be found by.
function startOfDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return Math.max(0, at - 20);
}

function cut(text: string, from: number): string {
  return `${from > 0 ? "…" : ""}${truncateText(text.slice(from), mostShown)}`;
}

function listed(names: readonly string[] | undefined): string {
  return truncateText(names?.join(", ") || "no tools", 200);
}
