import { type ToolDefinition, type ToolGroup, type UnreadyGroup, cleanText } from "@hostside/core";
import { findMeant, foldCase, toolsMeant } from "@hostside/core/implement";
import type { UnavailableGroup } from "./answers.ts";
import { type AnswerLimit, fitList, partOfLimit } from "./fit-answer.ts";
import type { HelperContext } from "./helper-context.ts";

const maxTitleLength = 256;
const maxNoteLength = 500;

/**
 * Groups whose servers are not ready, as a member of an answer: those that `isMeant` says, as many
 * as there is room for. None that exist and are denied to this agent.
 */
export function nameUnavailable(
  { catalog, permitted, unready, noteUnready }: HelperContext,
  limit: AnswerLimit,
  isMeant: (group: UnreadyGroup, hasTools: boolean) => boolean,
): { readonly unavailable?: readonly UnavailableGroup[] } {
  const groups = unready();
  if (groups.length === 0) return {};
  const open = new Set(permitted().groups.map(({ id }) => foldCase(id)));
  const known = new Set(catalog().groups.map(({ id }) => foldCase(id)));
  const meant = groups.filter((group) => {
    const key = foldCase(group.id);
    return (open.has(key) || !known.has(key)) && isMeant(group, open.has(key));
  });
  if (meant.length === 0) return {};
  const entries = meant.map((group) => describe(group, noteUnready?.(group)));
  const { fitted } = fitList<UnavailableGroup>(entries, ({ id }) => id, partOfLimit(limit, 1 / 8));
  return { unavailable: fitted };
}

function describe({ id, title, state, code }: UnreadyGroup, more: string | undefined): UnavailableGroup {
  const note = notes.get(state) ?? "is not ready";
  return {
    id,
    title: cleanText(title, maxTitleLength),
    status: state,
    note: `The server ${note}${code === undefined ? "" : ` (${code})`}.${more === undefined ? "" : ` ${cleanText(more, maxNoteLength)}`}`,
  };
}

const notes: ReadonlyMap<string, string> = new Map([
  ["connecting", "is being started; try again in a moment"],
  ["down", "lost its connection; the next call of one of its tools connects again"],
  ["failed", "could not be reached; it is tried again"],
  ["needs-auth", "needs the user to sign in first"],
  ["idle", "was not started yet"],
]);

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
