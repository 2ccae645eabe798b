import { HostsideError, type JsonObject } from "@hostside/core";
import { compareText, createPageCursors, isJsonObject, type PageEnd } from "@hostside/core/implement";
import { malformedError } from "../asking/ask-errors.ts";
import type { DroppedEntry, ListDefinition, ListLimits } from "./list-kind.ts";

/** What was read of one server's list. */
export interface EntryListing<T> {
  readonly serverId: string;
  /** Sorted by their keys, which are unique. */
  readonly entries: readonly T[];
  /** The first 100 that could not be used; a last one says how many more there were. */
  readonly dropped: readonly DroppedEntry[];
  /** Why the list is not there, or not whole: `entries` are what was read of it before. */
  readonly error?: HostsideError;
}

/** Takes pages, one after the other. */
export interface PageReader<T> {
  /**
   * Reads a page. The cursor of the next one, or `undefined` at the end. Throws `protocol_error`
   * and `listing_truncated`; what was read stays.
   */
  add(page: JsonObject): string | undefined;
  listing(error?: HostsideError): EntryListing<T>;
}

const maxCursorLength = 65_536;
const longestEntry = 65_536;
const mostReasons = 100;

/**
 * Makes a reader of one server's list. Time and memory are linear in what the pages say, and
 * bounded by the limits.
 */
export function createPageReader<T>(kind: ListDefinition<T>, serverId: string, limits: ListLimits): PageReader<T> {
  const { maxPages, maxEntries, maxListingLength } = limits;
  const subject = { serverId, operation: kind.method };
  const entries = new Map<string, T>();
  const dropped: DroppedEntry[] = [];
  const cursors = createPageCursors({ maxPages, maxCursorLength });
  const cuts: Readonly<Record<NonNullable<PageEnd["truncated"]>, string>> = {
    "bad-cursor": "its cursor cannot be used",
    "repeated-cursor": "its cursors repeat",
    "page-limit": `it has more than ${maxPages} pages`,
  };
  let droppedCount = 0;
  let doubles = 0;
  let looked = 0;
  let length = 0;

  const drop = (reason: string): void => {
    droppedCount += 1;
    if (droppedCount <= mostReasons) dropped.push({ serverId, index: looked - 1, reason });
  };
  const addEntry = (value: unknown): void => {
    looked += 1;
    if (!isJsonObject(value)) return drop("it is no object");
    const size = lengthOf(value);
    if (size === undefined) return drop("it cannot be written as JSON");
    length += size;
    if (size > longestEntry) return drop(`it is longer than ${longestEntry} UTF-16 units`);
    const entry = kind.read(value, serverId);
    if (typeof entry === "string") return drop(entry);
    const key = kind.keyOf(entry);
    if (entries.has(key)) {
      doubles += 1;
      return drop("another one before it is known by the same");
    }
    entries.set(key, entry);
  };
  const truncated = (why: string): HostsideError =>
    new HostsideError(`${kind.method} of server ${JSON.stringify(serverId)} ended early: ${why}`, {
      code: "listing_truncated",
      serverId,
      outcome: "failed",
      details: { operation: kind.method },
    });

  return {
    add(page) {
      const values: unknown = page[kind.member] === null ? [] : page[kind.member];
      if (!Array.isArray(values)) throw malformedError(subject, `without an array of ${kind.member}`);
      const before = { entries: entries.size, dropped: droppedCount };
      for (const value of values as readonly unknown[]) {
        // What is none counts, too: nobody shall look at millions of them. A double does not, as
        // its server may have begun anew.
        if (entries.size + droppedCount - doubles >= maxEntries)
          throw truncated(`it has more than ${maxEntries} entries`);
        addEntry(value);
        if (length > maxListingLength) throw truncated(`it is longer than ${maxListingLength} UTF-16 units`);
      }
      const end = cursors.follow(page["nextCursor"], () => entries.size > before.entries);
      if (end.truncated !== undefined) throw truncated(cuts[end.truncated]);
      if (end.startedOver) {
        droppedCount = before.dropped;
        dropped.length = Math.min(dropped.length, droppedCount);
      }
      return end.cursor;
    },
    listing(error) {
      const left = droppedCount - mostReasons;
      const more = left > 0 ? [{ serverId, index: looked, reason: `and ${left} more` }] : [];
      const sorted = Array.from(entries).toSorted(([a], [b]) => compareText(a, b));
      return {
        serverId,
        entries: sorted.map(([, entry]) => entry),
        dropped: [...dropped, ...more],
        ...(error && { error }),
      };
    },
  };
}

// What does not come off a wire may be nested or cyclic beyond what can be written.
function lengthOf(value: JsonObject): number | undefined {
  try {
    return JSON.stringify(value).length;
  } catch {
    return undefined;
  }
}
