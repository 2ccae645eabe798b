import { findMeant, quoteText } from "@hostside/core/implement";

/**
 * The end of a message about a check that is not there: which one may be meant, by its id, its id
 * without the area, or its area; else how to see them all.
 */
export function checksMeant(wanted: string, ids: readonly string[]): string {
  const areas = new Set(ids.map((id) => id.split("/", 1)[0] ?? id));
  const meant = findMeant(wanted, [...ids, ...areas], (id) => {
    const name = id.slice(id.indexOf("/") + 1);
    return wanted.includes("/") ? [id] : [name, id];
  });
  return meant.length === 0
    ? "; --list shows them all"
    : `; did you mean ${meant.map((id) => quoteText(id)).join(" or ")}?`;
}
