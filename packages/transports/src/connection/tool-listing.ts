import {
  isJsonObject,
  type DroppedTool,
  type JsonObject,
  type RemoteTool,
  type ServerLimits,
  type ToolListing,
} from "@toolport/core";
import { parseTool } from "./parse-tool.ts";

/** Puts a `tools/list` together, page by page. */
export interface ToolListingReader {
  /**
   * Takes a page in. Returns the cursor of the next one, or `undefined` when there is none or a limit says that there shall be
   * none. Throws nothing; a page without a `tools` array gives `false`. The tools are not looked at yet.
   */
  add(page: JsonObject): string | undefined | false;
  /** Looks at the tools of the pages so far, for a moment in which there is nothing else to do. */
  catchUp(): void;
  /** What was read so far. */
  listing(): ToolListing;
}

/** What a {@linkcode ToolListingReader} goes by. */
export interface ToolListingInit {
  readonly limits: ServerLimits;
  /** Why a tool that is well-formed cannot be called over this connection; `undefined` when it can. */
  readonly findFault?: ((tool: RemoteTool) => string | undefined) | undefined;
}

/** Starts an empty listing. */
export function createToolListingReader({ limits, findFault }: ToolListingInit): ToolListingReader {
  const tools = new Map<string, RemoteTool>();
  const dropped: DroppedTool[] = [];
  const cursors = new Set<string>();
  let truncated: ToolListing["truncated"];
  let pages = 0;
  let requested: string | undefined;
  let unread: readonly unknown[] = [];

  const read = (entry: unknown): void => {
    const reading = parseTool(entry, limits);
    if (reading.tool === undefined) {
      dropped.push(reading);
      return;
    }
    const { tool } = reading;
    const fault = tools.has(tool.name) ? "an earlier tool has the same name" : findFault?.(tool);
    if (fault === undefined) tools.set(tool.name, tool);
    else dropped.push({ name: tool.name, reason: fault });
  };

  const catchUp = (): void => {
    const entries = unread;
    unread = [];
    for (const entry of entries) read(entry);
  };

  return {
    catchUp,
    add(page) {
      const { tools: entries, nextCursor } = page;
      if (!Array.isArray(entries)) return false;
      catchUp();
      pages += 1;
      const before = { tools: tools.size, dropped: dropped.length };
      // What is dropped counts too: a list of a million bad entries must not fill the memory with reasons.
      const room = limits.maxTools - tools.size - dropped.length;
      unread = entries.length > room ? entries.slice(0, room) : entries;
      if (unread.length < entries.length) {
        truncated = "tool-limit";
        return undefined;
      }
      // An absent cursor ends the list. An empty one is a cursor like any other, but some servers mean the end by it: they start over.
      if (nextCursor === undefined || nextCursor === null) return undefined;
      if (requested === "") {
        catchUp();
        if (tools.size === before.tools) {
          dropped.length = before.dropped;
          return undefined;
        }
      }
      requested = undefined;
      if (typeof nextCursor !== "string" || nextCursor.length > limits.maxCursorLength) truncated = "bad-cursor";
      else if (cursors.has(nextCursor)) truncated = "repeated-cursor";
      else if (pages >= limits.maxPages) truncated = "page-limit";
      else cursors.add((requested = nextCursor));
      return requested;
    },
    listing() {
      catchUp();
      return { tools: Array.from(tools.values()), dropped, ...(truncated && { truncated }), pages };
    },
  };
}

/** All pages of a `tools/list` as one listing: the pure form of {@linkcode createToolListingReader}, for pages at hand. */
export function readToolListing(pages: readonly unknown[], limits: ServerLimits): ToolListing {
  const reader = createToolListingReader({ limits });
  for (const page of pages) if (!isJsonObject(page) || typeof reader.add(page) !== "string") break;
  return reader.listing();
}
