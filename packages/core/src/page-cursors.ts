import type { ServerLimits } from "./limits.ts";

/** The next step after a page; with none of these it was the last. */
interface PageEnd {
  /** The cursor of the next page. */
  readonly cursor?: string;
  /** The server has more, or says so, and it is not asked for. */
  readonly truncated?: "bad-cursor" | "repeated-cursor" | "page-limit";
  /** The server began anew: this page is one that was there before, and is none of the list. */
  readonly startedOver?: true;
}

/**
 * Follows the cursors of one list that comes in pages, from the first page on. It ends for every
 * server: no cursor is followed twice, and at most `maxPages` pages are asked for. Some servers
 * ignore the cursor and start over, with a new cursor each time: a further page that is not the
 * last and brings no more ends the list. `maxCursorLength` counts UTF-16 units.
 */
export function createPageCursors({ maxPages, maxCursorLength }: Pick<ServerLimits, "maxCursorLength" | "maxPages">): {
  /**
   * Takes the `nextCursor` of a page as it came. `bringsMore` says whether there was anything on
   * the page that was on none before.
   */
  follow(nextCursor: unknown, bringsMore: () => boolean): PageEnd;
} {
  const followed = new Set<string>();
  let pages = 0;
  return {
    follow(cursor, bringsMore) {
      pages += 1;
      if (cursor === undefined || cursor === null) return {};
      if (typeof cursor !== "string" || cursor.length > maxCursorLength) return { truncated: "bad-cursor" };
      const isRepeated = followed.has(cursor);
      // By an empty one, some mean the end.
      if (pages > 1 && (!isRepeated || cursor === "") && !bringsMore()) return { startedOver: true };
      if (isRepeated) return { truncated: "repeated-cursor" };
      if (pages >= maxPages) return { truncated: "page-limit" };
      followed.add(cursor);
      return { cursor };
    },
  };
}
