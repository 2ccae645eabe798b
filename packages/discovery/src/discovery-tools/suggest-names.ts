import type { ToolDefinition, ToolGroup } from "@hostside/core";
import { findMeant, toolsMeant } from "@hostside/core/implement";

// Each is looked for among all.
const mostLookedFor = 4;

/**
 * Names of the tools that may be meant by names that none has, at most three for each. Only the
 * first four are looked for.
 */
export function suggestTools(names: readonly string[], definitions: readonly ToolDefinition[]): readonly string[] {
  const meant = names.slice(0, mostLookedFor).flatMap((name) => toolsMeant(name, definitions));
  return Array.from(new Set(meant.map(({ name }) => name)));
}

/**
 * Ids of the groups, three at most, that may be meant by what is the id of none: by the id, with or
 * without the kind before its colon, or by the title.
 */
export function suggestGroups(name: string, groups: readonly ToolGroup[]): readonly string[] {
  return findMeant(name, groups, ({ id, title }) => [id.slice(id.indexOf(":") + 1), id, title]).map(({ id }) => id);
}

/** Suggestions as a member of an answer, which it does not have where there are none. */
export function answerSuggestions(names: readonly string[]): { readonly suggestions?: readonly string[] } {
  return names.length === 0 ? {} : { suggestions: names };
}
