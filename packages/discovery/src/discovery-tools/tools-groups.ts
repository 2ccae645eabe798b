import { foldCase } from "@hostside/core/implement";
import { limitAnswer } from "./answer-tools.ts";
import type { GroupEntry, GroupsAnswer } from "./answers.ts";
import { describeGroupEntry, maxEntryLength } from "./describe.ts";
import { fitList, fitNames, partOfLimit } from "./fit-answer.ts";
import type { HelperContext } from "./helper-context.ts";
import { answerSuggestions, nameUnavailable, suggestGroups } from "./unavailable-groups.ts";

/** Arguments of `tools_groups`. */
export interface GroupsInput {
  /**
   * Part of a group's id, title or description, ASCII-case-insensitive. Absent, blank or `*`: all
   * groups.
   */
  readonly query?: string | undefined;
}

// The directory is read once, and everything else depends on it.
const share = 1 / 4;
const shorterAbouts = [120, 80, 50, 24];

/**
 * The compact directory; a group that a query finds alone comes with the names of its tools.
 * `total_groups` counts all groups.
 */
export function listGroups(context: HelperContext, { query = "" }: GroupsInput): GroupsAnswer {
  const all = context.permitted().groups;
  const wanted = foldCase(query.trim());
  const limit = limitAnswer(context, share);
  const isFound = (...texts: readonly string[]): boolean =>
    wanted === "*" || texts.some((text) => foldCase(text).includes(wanted));
  const found = all.filter((group) => isFound(group.id, group.title, context.about(group)));
  const isOne = found.length === 1 && wanted !== "" && wanted !== "*";
  const fit = (longestAbout: number): ReturnType<typeof fitList<GroupEntry>> => {
    const entries = found.map((group) => ({
      ...describeGroupEntry(group, context.about(group), longestAbout),
      ...(isOne && { members: fitNames(group.members, partOfLimit(limit, 3 / 4))?.names ?? [] }),
    }));
    return fitList<GroupEntry>(entries, ({ id }) => id, partOfLimit(limit, 7 / 8));
  };
  // All groups with less of each say more than some with all.
  let { fitted, omitted } = fit(maxEntryLength);
  for (const longestAbout of shorterAbouts) if (omitted !== undefined) ({ fitted, omitted } = fit(longestAbout));
  const ids = new Set(found.map(({ id }) => foldCase(id)));
  return {
    groups: fitted,
    total_groups: all.length,
    ...(omitted && { omitted_groups: omitted }),
    ...answerSuggestions(found.length === 0 ? suggestGroups(query, all) : []),
    ...nameUnavailable(context, limit, ({ id, title }) => ids.has(foldCase(id)) || isFound(id, title)),
  };
}
