import type { CallContext, JsonObject, HostsideError } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { AskedSession, ServerQueries } from "../asking/ask-server.ts";
import { toAskError } from "../asking/ask-errors.ts";
import type { ListDefinition, ListLimits } from "./list-kind.ts";
import { createPageReader, type PageReader, type EntryListing } from "./read-pages.ts";

/** How one list is asked for. */
export interface ListRequest<T> {
  readonly kind: ListDefinition<T>;
  readonly limits: ListLimits;
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
  const { kind, limits, timeoutMs, signal, context, meta } = request;
  const subject = { serverId, operation: kind.method };
  let reader = createPageReader(kind, serverId, limits);
  try {
    await asking.ask({ ...subject, timeoutMs, signal, context }, async (session) => {
      reader = createPageReader(kind, serverId, limits);
      if (!isJsonObject(session.server.capabilities[kind.capability])) return;
      await readAllPages(session, { kind, reader, meta });
    });
    return reader.listing();
  } catch (reason) {
    const error: HostsideError = toAskError(reason, subject);
    return reader.listing(error);
  }
}

/**
 * Reads all pages of a list on one session. Throws what a page fails with, and what the reader
 * does; what was read before stays in it.
 */
export async function readAllPages<T>(
  session: AskedSession,
  { kind, reader, meta }: Pick<ListRequest<T>, "kind" | "meta"> & { readonly reader: PageReader<T> },
): Promise<void> {
  let cursor: string | undefined;
  do {
    const params = { ...(cursor !== undefined && { cursor }), ...(meta && { _meta: meta }) };
    cursor = reader.add(await session.request(kind.method, params));
  } while (cursor !== undefined);
}
