import {
  HostsideError,
  isHostsideError,
  type Clock,
  type DroppedTool,
  type HostsideErrorCode,
  type JsonObject,
  type ListToolsOptions,
  type RemoteTool,
  type ServerInfo,
  type ServerLimits,
  type ToolListing,
} from "@hostside/core";
import { assertListOptions, createPageCursors, isJsonObject, runSoon } from "@hostside/core/implement";
import { parseTool, type ToolReading } from "./parse-tool.ts";
import type { ServerContext } from "../context/server-context.ts";
import { withCarriedMeta } from "../message/outgoing-request.ts";
import type { RequestChannel } from "../message/request-channel.ts";

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

/** Puts a `tools/list` together, page by page. */
interface ToolListingReader {
  /**
   * Takes a page in. Returns the cursor of the next one, or `undefined` when there is none or a
   * limit says that there shall be none. Throws nothing; a page without a `tools` array gives
   * `false`. The tools are not looked at yet.
   */
  add(page: JsonObject): string | undefined | false;
  /** The next page could not be had: the listing ends with what there is. */
  fail(failure: HostsideError): void;
  /** Looks at the tools of the pages so far, for a moment in which there is nothing else to do. */
  catchUp(): void;
  /** What was read so far. */
  listing(): ToolListing;
}

/** What a {@linkcode ToolListingReader} goes by. */
interface ToolListingInit {
  readonly limits: ServerLimits;
  /**
   * Why a tool that is well-formed cannot be called over this connection; `undefined` when it can.
   */
  readonly findFault?: ((tool: RemoteTool) => string | undefined) | undefined;
  /** Whether a tool of this name counts as one of the server's. Default: all do. */
  readonly wants?: ((toolName: string) => boolean) | undefined;
}

/** Starts an empty listing. */
export function createToolListingReader(init: ToolListingInit): ToolListingReader {
  const { limits } = init;
  const entries = createEntries(init);
  const cursors = createPageCursors(limits);
  let truncated: ToolListing["truncated"];
  let failure: HostsideError | undefined;
  let pages = 0;

  return {
    catchUp: () => entries.catchUp(),
    add(page) {
      const { nextCursor } = page;
      const tools = page["tools"] === null ? [] : page["tools"];
      if (!Array.isArray(tools)) return false;
      entries.catchUp();
      pages += 1;
      const before = { tools: entries.tools.length, dropped: entries.dropped.length };
      entries.take(tools);
      if (entries.limited !== undefined) return undefined;
      const end = cursors.follow(nextCursor, () => {
        entries.catchUp();
        return entries.tools.length > before.tools;
      });
      if (end.startedOver) entries.dropped.length = before.dropped;
      truncated = end.truncated;
      return end.cursor;
    },
    fail(reason) {
      truncated = "page-failed";
      failure = reason;
    },
    listing() {
      entries.catchUp();
      const { tools, dropped, withoutSchema, limited = truncated } = entries;
      return {
        tools: [...tools],
        dropped,
        ...(withoutSchema.length > 0 && { withoutSchema }),
        ...(limited !== undefined && { truncated: limited }),
        ...(failure !== undefined && { failure }),
        pages,
      };
    },
  };
}

interface Entries {
  /** With unique names. */
  readonly tools: readonly RemoteTool[];
  readonly dropped: DroppedTool[];
  readonly withoutSchema: readonly DroppedTool[];
  /** The limit that an entry passed; nothing behind it is taken. */
  readonly limited: ToolListing["truncated"];
  /** Takes the entries of a page, to be looked at later, unless they may pass a limit. */
  take(page: readonly unknown[]): void;
  catchUp(): void;
}

function createEntries({ limits, findFault, wants = all }: ToolListingInit): Entries {
  const tools: RemoteTool[] = [];
  const names = new Set<string>();
  const dropped: DroppedTool[] = [];
  const withoutSchema: DroppedTool[] = [];
  let limited: ToolListing["truncated"];
  // Of what is dropped, too: a list of a million bad entries must not fill the memory with reasons.
  let wanted = 0;
  let unwanted = 0;
  let length = 0;
  let unread: readonly unknown[] = [];

  // Says which limit an entry passes that is not to be taken.
  const count = (reading: ToolReading): ToolListing["truncated"] | "unwanted" => {
    const name = reading.tool?.name ?? (reading.reason === undefined ? undefined : reading.name);
    if (name !== undefined && !wants(name)) {
      // A filter can be changed later, so some are kept; as many again as may be wanted.
      unwanted += 1;
      if (unwanted > limits.maxTools) return "unwanted";
    } else {
      if (wanted >= limits.maxTools) return "tool-limit";
      wanted += 1;
    }
    if (reading.tool === undefined) return undefined;
    if (length + reading.length > limits.maxListingLength) return "size-limit";
    length += reading.length;
    return undefined;
  };
  const read = (entry: unknown): void => {
    const reading = parseTool(entry, limits);
    const excess = count(reading);
    if (excess === "unwanted") return;
    if (excess !== undefined) {
      limited = excess;
      return;
    }
    const { tool } = reading;
    if (tool === undefined) {
      dropped.push(reading);
      return;
    }
    const fault = names.has(tool.name) ? "an earlier tool has the same name" : findFault?.(tool);
    if (fault !== undefined) {
      dropped.push({ name: tool.name, reason: fault });
      return;
    }
    names.add(tool.name);
    tools.push(tool);
    if (reading.problem !== undefined) withoutSchema.push({ name: tool.name, reason: reading.problem });
  };
  const catchUp = (): void => {
    const entries = unread;
    unread = [];
    for (const entry of entries) {
      if (limited !== undefined) return;
      read(entry);
    }
  };
  return {
    tools,
    dropped,
    withoutSchema,
    get limited() {
      return limited;
    },
    catchUp,
    take(page) {
      unread = page;
      // At once, so that nothing is asked for in vain.
      if (wanted + unwanted + page.length > limits.maxTools) catchUp();
    },
  };
}

function all(): boolean {
  return true;
}
