import { cleanText, type UnreadyGroup } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { UnavailableGroup } from "./answers.ts";
import { fitList, partOfLimit, type AnswerLimit } from "./fit-answer.ts";
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
  ["untrusted", "is not trusted by the user, and not started"],
]);
