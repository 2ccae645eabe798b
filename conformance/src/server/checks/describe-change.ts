import { truncateText, type JsonObject, type JsonValue } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";

/**
 * The first thing that differs between two listings of the same tools, in words; `undefined` if
 * nothing does. The order of the members of an object says nothing, that of the tools does.
 */
export function describeChange(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  then: string,
): string | undefined {
  const [before, after] = [listed(first), listed(second)];
  if (before !== after) return `first ${truncateText(before, 200)}; ${then} ${truncateText(after, 200)}`;
  for (const [at, tool] of first.entries()) {
    const other = second[at] ?? {};
    const keys = [...Object.keys(tool), ...Object.keys(other)];
    const changed = keys.find((key) => asText(tool[key]) !== asText(other[key]));
    if (changed === undefined) continue;
    const [one, two] = [asText(tool[changed]), asText(other[changed])];
    // A little of what is the same, to be found by.
    const from = Math.max(0, one.split("").findIndex((letter, n) => letter !== two[n]) - 20);
    return `${JSON.stringify(tool["name"])}, ${changed}: first ${cut(one, from)}; ${then} ${cut(two, from)}`;
  }
  return undefined;
}

function listed(tools: readonly JsonObject[]): string {
  return tools.map(({ name }) => JSON.stringify(name)).join(", ") || "no tools";
}

function asText(value: JsonValue | undefined): string {
  return value === undefined ? "nothing" : canonicalJson(value);
}

function cut(text: string, from: number): string {
  return `${from > 0 ? "…" : ""}${truncateText(text.slice(from), 80)}`;
}
