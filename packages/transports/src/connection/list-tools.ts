import {
  type HostsideError,
  isHostsideError,
  type HostsideErrorCode,
  type JsonObject,
  type ListToolsOptions,
  type RemoteTool,
  type ServerInfo,
  type ServerLimits,
  type ToolListing,
} from "@hostside/core";
import { clock, assertListOptions, createPageCursors, isJsonObject, runSoon } from "@hostside/core/implement";
import { parseTool, type ToolReading } from "./parse-tool.ts";
import type { ServerContext } from "../context/server-context.ts";
import { requestError, withCarriedMeta, type RequestChannel } from "../message/outgoing-request.ts";

type DroppedTool = ToolListing["dropped"][number];

/** The input of {@linkcode listTools}. */
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
  const { pauses } = context;
  const { limits, timeouts } = context.settings;
  const reader = new ToolListingReader({ limits, findFault, wants: options.wants });
  // The hints of 2026-07-28. A page without them, or with something else in their place, holds for
  // no time, and for whoever asked alone.
  // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
  let freshUntil = Number.POSITIVE_INFINITY;
  let isPublic = true;
  if (!isJsonObject(server.capabilities["tools"])) return reader.listing();
  const timeoutMs = options.timeoutMs ?? timeouts.listMs;
  const startedAt = clock.now();
  const requestPage = async (cursor: string | undefined): Promise<JsonObject> => {
    const passedMs = clock.now() - startedAt - pauses.msSince(startedAt, options.context);
    const request = {
      method: "tools/list",
      params: withCarriedMeta(cursor === undefined ? {} : { cursor }, options.observer),
      // At least a moment: a deadline that passed between two pages is told as what it is, by the
      // request.
      timeoutMs: Math.max(1, timeoutMs - passedMs),
      timeoutCode: "list_timeout",
      signal: options.signal,
      callContext: options.context,
    } as const;
    // The tools of one page are looked at while the server writes the next: as soon as the request
    // has left.
    const cancel = cursor === undefined ? undefined : runSoon(() => reader.catchUp());
    const page = await channel.request(request).finally(cancel);
    if (page["tools"] !== null && !Array.isArray(page["tools"])) {
      const what = "was answered without an array of tools";
      throw requestError(context, request, { what, code: "protocol_error", outcome: "failed" });
    }
    freshUntil = Math.min(freshUntil, clock.now() + lifetimeOf(page["ttlMs"]));
    isPublic &&= page["cacheScope"] === "public";
    return page;
  };

  let cursor = reader.add(await requestPage(undefined));
  while (cursor !== undefined) {
    let page: JsonObject;
    try {
      page = await requestPage(cursor);
    } catch (error) {
      if (!isHostsideError(error) || !pageFailures.has(error.code)) throw error;
      reader.fail(error);
      break;
    }
    cursor = reader.add(page);
  }
  if (server.era === "legacy") return reader.listing();
  const ttlMs = Math.max(0, Math.floor(freshUntil - clock.now()));
  return { ...reader.listing(), ...(ttlMs > 0 && { ttlMs }), ...(isPublic && { cacheScope: "public" }) };
}

function lifetimeOf(ttlMs: unknown): number {
  return typeof ttlMs === "number" && Number.isFinite(ttlMs) ? Math.max(0, ttlMs) : 0;
}

/** The input of {@linkcode ToolListingReader}. */
interface ToolListingInit {
  readonly limits: ServerLimits;
  /**
   * Why a tool that is well-formed cannot be called over this connection; `undefined` when it can.
   */
  readonly findFault?: ((tool: RemoteTool) => string | undefined) | undefined;
  /** True if a tool of this name counts as one of the server's. Default: all do. */
  readonly wants?: ((toolName: string) => boolean) | undefined;
}

/** Puts a `tools/list` together, page by page. */
export class ToolListingReader {
  readonly #init: ToolListingInit;
  readonly #cursors: ReturnType<typeof createPageCursors>;
  readonly #tools: RemoteTool[] = [];
  readonly #names = new Set<string>();
  readonly #dropped: DroppedTool[] = [];
  readonly #withoutSchema: DroppedTool[] = [];
  #unread: readonly unknown[] = [];
  /** The limit that an entry passed; nothing behind it is taken. */
  #limited: ToolListing["truncated"];
  #truncated: ToolListing["truncated"];
  #failure: HostsideError | undefined;
  #pages = 0;
  // Of what is dropped, too: a list of a million bad entries must not fill the memory with reasons.
  #wanted = 0;
  #unwanted = 0;
  #length = 0;

  constructor(init: ToolListingInit) {
    this.#init = init;
    this.#cursors = createPageCursors(init.limits);
  }

  /**
   * Takes a page in. Returns the cursor of the next one, or `undefined` when there is none or a
   * limit says that there shall be none. Throws nothing; `null` counts as no tools. The tools are
   * read later, unless they may pass a limit.
   */
  add({ nextCursor, tools: given }: JsonObject): string | undefined {
    const tools = Array.isArray(given) ? given : [];
    this.catchUp();
    this.#pages += 1;
    const before = { tools: this.#tools.length, dropped: this.#dropped.length };
    this.#unread = tools;
    // At once, so that no page is asked for in vain.
    if (this.#wanted + this.#unwanted + tools.length > this.#init.limits.maxTools) this.catchUp();
    if (this.#limited !== undefined) return undefined;
    const end = this.#cursors.follow(nextCursor, () => {
      this.catchUp();
      return this.#tools.length > before.tools;
    });
    if (end.startedOver) this.#dropped.length = before.dropped;
    this.#truncated = end.truncated;
    return end.cursor;
  }

  /** The next page could not be had: the listing ends with what there is. */
  fail(failure: HostsideError): void {
    this.#truncated = "page-failed";
    this.#failure = failure;
  }

  /** Reads the tools of the pages so far, while there is nothing else to do. */
  catchUp(): void {
    const entries = this.#unread;
    this.#unread = [];
    for (const entry of entries) {
      if (this.#limited !== undefined) return;
      this.#read(entry);
    }
  }

  /** Gives what was read so far. */
  listing(): ToolListing {
    this.catchUp();
    const truncated = this.#limited ?? this.#truncated;
    return {
      tools: [...this.#tools],
      dropped: this.#dropped,
      ...(this.#withoutSchema.length > 0 && { withoutSchema: this.#withoutSchema }),
      ...(truncated !== undefined && { truncated }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
      pages: this.#pages,
    };
  }

  #read(entry: unknown): void {
    const { limits, findFault } = this.#init;
    const reading = parseTool(entry, limits);
    if (!this.#admit(reading)) return;
    const { tool } = reading;
    if (tool === undefined) {
      this.#dropped.push(reading);
      return;
    }
    const { name } = tool;
    const fault = this.#names.has(name) ? "an earlier tool has the same name" : findFault?.(tool);
    if (fault !== undefined) {
      this.#dropped.push({ name, reason: fault });
      return;
    }
    this.#names.add(name);
    this.#tools.push(tool);
    if (reading.problem !== undefined) this.#withoutSchema.push({ name, reason: reading.problem });
  }

  /** True if an entry is within the limits; the first that is not ends the listing. */
  #admit(reading: ToolReading): boolean {
    const { limits, wants } = this.#init;
    const name = reading.tool?.name ?? (reading.reason === undefined ? undefined : reading.name);
    if (name !== undefined && wants?.(name) === false) {
      // A filter can be changed later, so some are kept; as many again as may be wanted.
      this.#unwanted += 1;
      if (this.#unwanted > limits.maxTools) return false;
    } else {
      if (this.#wanted >= limits.maxTools) return this.#limit("tool-limit");
      this.#wanted += 1;
    }
    if (reading.tool === undefined) return true;
    if (this.#length + reading.length > limits.maxListingLength) return this.#limit("size-limit");
    this.#length += reading.length;
    return true;
  }

  #limit(which: NonNullable<ToolListing["truncated"]>): false {
    this.#limited = which;
    return false;
  }
}
