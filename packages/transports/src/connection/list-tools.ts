import {
  isHostsideError,
  HostsideError,
  type JsonObject,
  type ListToolsOptions,
  type RemoteTool,
  type ServerInfo,
  type ToolListing,
  type HostsideErrorCode,
  type Clock,
} from "@hostside/core";
import { assertListOptions, isJsonObject, runSoon } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import { withCarriedMeta } from "../message/carried-meta.ts";
import { createToolListingReader } from "./join-tool-pages.ts";

/** What {@linkcode listTools} goes by. */
export interface ListToolsInit {
  readonly context: ServerContext;
  readonly server: ServerInfo;
  readonly channel: RequestChannel;
  /** Why a well-formed tool cannot be called over this connection; `undefined` when it can. */
  readonly findFault?: ((tool: RemoteTool) => string | undefined) | undefined;
}

// What one page can fail with while the session is as good as before. Everything else is a failure
// of the session, or the caller's.
const pageFailures: ReadonlySet<HostsideErrorCode> = new Set([
  "message_too_large",
  "server_error",
  "http_error",
  "list_timeout",
  "protocol_error",
]);

/**
 * Reads all pages of `tools/list`; sends nothing to a server that declares no tools. The first page
 * fails with what went wrong, such as `protocol_error` for one without tools; a later one that
 * fails by itself ends the listing there, and the pages before it stand.
 */
export async function listTools(init: ListToolsInit, options: ListToolsOptions): Promise<ToolListing> {
  assertListOptions(options);
  const { context, server, channel, findFault } = init;
  const { clock } = context;
  const { limits, timeouts } = context.settings;
  const reader = createToolListingReader({ limits, findFault, wants: options.wants });
  const hints = server.era === "modern" ? createCachingHints(clock) : undefined;
  if (!isJsonObject(server.capabilities["tools"])) return reader.listing();
  const timeoutMs = options.timeoutMs ?? timeouts.listMs;
  const time = channel.activeClock.of(options.context);
  const startedAt = time.now();
  const requestPage = async (cursor: string | undefined): Promise<JsonObject> => {
    const request = channel.request({
      method: "tools/list",
      params: withCarriedMeta(cursor === undefined ? {} : { cursor }, options.observer),
      // At least a moment: a deadline that passed between two pages is told as what it is, by the
      // request.
      timeoutMs: Math.max(1, timeoutMs - (time.now() - startedAt)),
      timeoutCode: "list_timeout",
      signal: options.signal,
      callContext: options.context,
    });
    // The tools of one page are looked at while the server writes the next: as soon as the request
    // has left.
    const cancel = cursor === undefined ? undefined : runSoon(clock, () => reader.catchUp());
    const page = await (cancel === undefined ? request : request.finally(cancel));
    if (!Array.isArray(page["tools"])) throw pageWithoutTools(context);
    hints?.add(page);
    return page;
  };

  let cursor = nextOf(reader.add(await requestPage(undefined)));
  while (cursor !== undefined) {
    let page: JsonObject;
    try {
      page = await requestPage(cursor);
    } catch (error) {
      if (!isHostsideError(error) || !pageFailures.has(error.code)) throw error;
      reader.fail(error);
      break;
    }
    cursor = nextOf(reader.add(page));
  }
  return { ...reader.listing(), ...hints?.read() };
}

function nextOf(cursor: string | undefined | false): string | undefined {
  return cursor === false ? undefined : cursor;
}

function pageWithoutTools({ serverId }: ServerContext): HostsideError {
  return new HostsideError(`tools/list on server ${JSON.stringify(serverId)} was answered without an array of tools`, {
    code: "protocol_error",
    serverId,
    outcome: "failed",
    details: { operation: "tools/list" },
  });
}

/** What the pages of one listing say of how long it holds, and for whom. */
export interface CachingHints {
  /** Takes in a page that has just come. */
  add(page: JsonObject): void;
  /**
   * Of all pages so far: what holds for the one that ends first, from now on; `private` if any page
   * is.
   */
  read(): Pick<ToolListing, "ttlMs" | "cacheScope">;
}

/**
 * Reads the hints of 2026-07-28. A page without them, or with something else in their place, holds
 * for no time, and for whoever asked alone.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
function createCachingHints(clock: Clock): CachingHints {
  let until = Number.POSITIVE_INFINITY;
  let isPublic = true;
  return {
    add({ ttlMs, cacheScope }) {
      until = Math.min(until, clock.now() + lifetimeOf(ttlMs));
      isPublic &&= cacheScope === "public";
    },
    read() {
      if (until === Number.POSITIVE_INFINITY) return {};
      const ttlMs = Math.max(0, Math.floor(until - clock.now()));
      return { ...(ttlMs > 0 && { ttlMs }), ...(isPublic && { cacheScope: "public" }) };
    },
  };
}

function lifetimeOf(ttlMs: unknown): number {
  return typeof ttlMs === "number" && Number.isFinite(ttlMs) ? Math.max(0, ttlMs) : 0;
}
