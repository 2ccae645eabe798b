import type { DroppedTool, JsonObject, RemoteTool, ServerLimits, ToolListing, HostsideError } from "@hostside/core";
import { createPageCursors } from "@hostside/core/implement";
import { parseTool, type ToolReading } from "./parse-tool.ts";

/** Puts a `tools/list` together, page by page. */
export interface ToolListingReader {
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
export interface ToolListingInit {
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
