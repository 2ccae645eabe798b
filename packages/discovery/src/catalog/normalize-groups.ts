import { defaultLimits, truncateText, type ToolGroup } from "@hostside/core";
import { compareText, foldCase } from "@hostside/core/implement";

const maxTitleLength = 256;

/** A group as its source declares it, and which tools are really its source's. */
export interface DeclaredGroup {
  readonly group: ToolGroup;
  /**
   * The name under which a member is listed, or `undefined` when it is stale, or another source's
   * tool has its name.
   */
  readonly nameOf: (member: string) => string | undefined;
}

/**
 * The directory of groups: ids are trimmed and compared ASCII-case-insensitively, equal ones are
 * merged and the first one's texts win; members that are stale or shadowed are dropped, the others
 * are listed once and sorted; blank ids and groups without a member are dropped; groups are sorted
 * by id. Texts are cut to the limits of server texts.
 */
export function normalizeGroups(declared: Iterable<DeclaredGroup>): readonly ToolGroup[] {
  const merged = new Map<string, { readonly group: ToolGroup; readonly members: Set<string> }>();
  for (const { group, nameOf } of declared) {
    const id = group.id.trim();
    if (id === "") continue;
    const key = foldCase(id);
    const target = merged.get(key) ?? { group: { ...group, id }, members: new Set() };
    merged.set(key, target);
    for (const member of group.members) {
      const name = nameOf(member);
      if (name !== undefined) target.members.add(name);
    }
  }
  return Array.from(merged)
    .filter(([, { members }]) => members.size > 0)
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { group, members }]) => withTextLimits(group, Array.from(members).sort()));
}

function withTextLimits(group: ToolGroup, members: readonly string[]): ToolGroup {
  const { id, title, description, instructions = "" } = group;
  const advice = truncateText(instructions.trim(), defaultLimits.maxServerTextLength);
  return {
    id,
    title: truncateText(title, maxTitleLength),
    description: truncateText(description, defaultLimits.maxDescriptionLength),
    ...(advice !== "" && { instructions: advice }),
    members,
  };
}
