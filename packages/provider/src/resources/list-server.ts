import { longestMimeType, longestUri } from "./check-uri.ts";
import {
  HostsideError,
  truncateText,
  type CallContext,
  type JsonObject,
  type ListedEntry,
  type Resource,
  type ResourceTemplate,
} from "@hostside/core";
import {
  isJsonObject,
  compareText,
  createPageCursors,
  readContentAnnotations,
  readIcons,
} from "@hostside/core/implement";
import { toAskError, malformedError, type ServerQueries } from "./ask-server.ts";
import { jsonLength } from "./read-cache.ts";

type PageEnd = ReturnType<ReturnType<typeof createPageCursors>["follow"]>;
type TruncatedField = NonNullable<Resource["cut"]>[number];
type ContentAnnotations = NonNullable<Resource["annotations"]>;

/** How one list is asked for. */
export interface ListRequest<T> {
  readonly kind: ListDefinition<T>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly context?: CallContext | undefined;
  /** Sent with each page, as `_meta`. */
  readonly meta?: JsonObject | undefined;
}

/**
 * Lists one server: all pages, within one time. Sends nothing to a server that does not declare
 * such a list; it has none. Never rejects: what it fails with stands in the listing, beside what
 * was read before. A session that is lost on the way costs the pages read so far, because their
 * cursors were that session's; the list is begun once more.
 */
export async function listServer<T>(
  asking: ServerQueries,
  serverId: string,
  request: ListRequest<T>,
): Promise<EntryListing<T>> {
  const { kind, timeoutMs, signal, context, meta } = request;
  const subject = { serverId, operation: kind.method };
  let reader = createPageReader(kind, serverId);
  try {
    await asking.ask({ ...subject, timeoutMs, signal, context }, async (session) => {
      reader = createPageReader(kind, serverId);
      if (!isJsonObject(session.server.capabilities[kind.capability])) return;
      let cursor: string | undefined;
      do {
        const params = { ...(cursor !== undefined && { cursor }), ...(meta && { _meta: meta }) };
        cursor = reader.add(await session.request(kind.method, params));
      } while (cursor !== undefined);
    });
    return reader.listing();
  } catch (reason) {
    const error: HostsideError = toAskError(reason, subject);
    return reader.listing(error);
  }
}

/** The list of one server, as far as it was read. */
export interface EntryListing<T> {
  readonly serverId: string;
  /** Sorted by their keys, which are unique. */
  readonly entries: readonly T[];
  /** The first 100 that could not be used; a last one says how many more there were. */
  readonly dropped: readonly DroppedEntry[];
  /** Why the list is not there, or not whole: `entries` are what was read of it before. */
  readonly error?: HostsideError;
}

const maxPages = 64;
// With those that cannot be used.
const maxEntries = 10_000;
// UTF-16 units of all entries, serialised.
const maxListingLength = 32 * 1024 * 1024;
const maxCursorLength = 65_536;
const longestEntry = 65_536;
const mostReasons = 100;

/**
 * Makes a reader of one server's list. Time and memory are linear in what the pages say, and
 * bounded by the limits.
 */
function createPageReader<T>(kind: ListDefinition<T>, serverId: string) {
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
    const size = jsonLength(value);
    if (size === Number.POSITIVE_INFINITY) return drop("it cannot be written as JSON");
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
    add(page: JsonObject): string | undefined {
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
    listing(error?: HostsideError): EntryListing<T> {
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

/** UTF-16 units of a name or title that are kept. */
export const longestName = 1024;
/** UTF-16 units of a description that are kept. */
export const longestDescription = 8192;
/** The lists of resources. */
export const resourceKind: ListDefinition<Resource> = {
  method: "resources/list",
  member: "resources",
  capability: "resources",
  keyOf: ({ uri }) => uri,
  read(entry, serverId) {
    const uri = readIdentity(entry["uri"], "uri");
    if (typeof uri !== "object") return uri;
    const listed = readListedEntry(entry, serverId);
    if (typeof listed === "string") return listed;
    const { size } = entry;
    return {
      ...listed,
      uri: uri.text,
      ...readContentHints(entry),
      // 1e999 is valid JSON, and is infinite then.
      ...(typeof size === "number" && size >= 0 && Number.isFinite(size) && { size }),
    };
  },
};

/** The lists of templates. */
export const templateKind: ListDefinition<ResourceTemplate> = {
  method: "resources/templates/list",
  member: "resourceTemplates",
  capability: "resources",
  keyOf: ({ uriTemplate }) => uriTemplate,
  read(entry, serverId) {
    const uriTemplate = readIdentity(entry["uriTemplate"], "uriTemplate");
    if (typeof uriTemplate !== "object") return uriTemplate;
    const listed = readListedEntry(entry, serverId);
    return typeof listed === "string"
      ? listed
      : { ...listed, uriTemplate: uriTemplate.text, ...readContentHints(entry) };
  },
};

// An identity is never cut: it would be another one.
function readIdentity(value: unknown, member: string): { readonly text: string } | string {
  if (typeof value !== "string" || value === "") return `its ${member} is no text, or empty`;
  // Nobody could ask for it: half a character cannot be sent.
  if (!value.isWellFormed()) return `its ${member} has half a character (a lone surrogate) in it`;
  return value.length > longestUri ? `its ${member} is longer than ${longestUri} UTF-16 units` : { text: value };
}

/**
 * Reads what entries of all kinds have; a text says why one cannot be used. Members of a wrong type
 * are left out, long texts are cut.
 */
export function readListedEntry(entry: JsonObject, serverId: string): ListedEntry | string {
  const { name, title, description, icons, _meta: meta } = entry;
  if (typeof name !== "string") return "its name is no text";
  const cut: TruncatedField[] = [];
  const read = (text: string, member: TruncatedField, most: number): string => {
    if (text.length > most) cut.push(member);
    return truncateText(text, most);
  };
  return {
    serverId,
    name: read(name, "name", longestName),
    ...(typeof title === "string" && { title: read(title, "title", longestName) }),
    ...(typeof description === "string" && { description: read(description, "description", longestDescription) }),
    ...(Array.isArray(icons) && { icons: readIcons(icons) as NonNullable<Resource["icons"]> }),
    ...(isJsonObject(meta) && { meta }),
    ...(cut.length > 0 && { cut }),
  };
}

function readContentHints({ mimeType, annotations }: JsonObject): Pick<Resource, "mimeType" | "annotations"> {
  return {
    ...(typeof mimeType === "string" && mimeType.length <= longestMimeType && { mimeType }),
    ...(isJsonObject(annotations) && { annotations: readContentAnnotations(annotations) as ContentAnnotations }),
  };
}

/** One kind of list that servers have: of resources, templates or prompts. */
export interface ListDefinition<T> {
  /** Such as `resources/list`. */
  readonly method: string;
  /** The member of a page that has the entries. */
  readonly member: string;
  /** The capability of a server that has such a list. A server without it is not asked. */
  readonly capability: "resources" | "prompts";
  /** Reads an entry; a text says why it cannot be used. */
  readonly read: (entry: JsonObject, serverId: string) => T | string;
  /** The identity of an entry on its server. The first of two equal ones is kept. */
  readonly keyOf: (entry: T) => string;
}

/** An entry of a list that was left out, and why. */
export interface DroppedEntry {
  readonly serverId: string;
  /** Its place in the server's list, from 0. */
  readonly index: number;
  readonly reason: string;
}
