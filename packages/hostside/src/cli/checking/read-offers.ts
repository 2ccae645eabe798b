import type { LoadedConfig } from "@hostside/config/node";
import { defaultLimits, type Connection, type JsonObject } from "@hostside/core";
import { createDeadline, createPageCursors, isJsonObject } from "@hostside/core/implement";
import { lockTools, type ToolLock } from "@hostside/policy/lock";
import type { McpProvider } from "@hostside/provider";
import type { CommandContext } from "../command-context.ts";
import { openHost } from "../opening/open-host.ts";
import { formatDuration } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import type { ServersLock } from "./servers-lock.ts";

/** A server whose offer is not known, and why. */
export interface UnreadServer {
  readonly server: string;
  readonly reason: string;
  /** It is off because somebody wants it so: that is no failure. */
  readonly isOff: boolean;
}

/** What the servers of a configuration offer now. */
export interface Offers {
  readonly locks: ServersLock;
  readonly unread: readonly UnreadServer[];
  /** Every server that is configured, whether it was asked or not. */
  readonly configured: ReadonlySet<string>;
  /** Whether every server was asked; else those that somebody named. */
  readonly isAll: boolean;
  /** Whether a file could not be read, so that there may be servers that nobody sees. */
  readonly isPartial: boolean;
}

/**
 * Starts the servers, lists all of their tools as they say them, and ends. Calls nothing. `only`:
 * ids as somebody typed them.
 */
export async function readOffers(context: CommandContext, only: readonly string[] | undefined): Promise<Offers> {
  await using opened = await openHost(context, { only, off: "show" });
  const { host, provider } = opened;
  const timeoutMs = (context.options.timeout ?? 30) * 1000;
  const { sources = [], problems = [] } = host.config ?? {};
  const locks = new Map<string, ToolLock>();
  const unread: UnreadServer[] = [];
  const read = async (source: Source): Promise<void> => {
    const { serverId: server } = source;
    if (source.state !== "on") {
      // What cannot be used at all fails; what is off is so on purpose.
      const isOff = source.state === "off";
      unread.push({
        server,
        isOff,
        reason: isOff ? `is off: ${source.off ?? "disabled"}` : "has an entry that cannot be used",
      });
      return;
    }
    const tooLate = new Error(`did not list its tools within ${formatDuration(timeoutMs)}`);
    const deadline = createDeadline({ timeoutMs, signal: context.terminal.signal, onTimeout: () => tooLate });
    const { signal } = deadline;
    try {
      const connection = await connectionOf(provider, server, { timeoutMs, signal });
      locks.set(server, lockTools(await listAll(connection, signal), connection.server));
    } catch (error) {
      const why: unknown = signal.reason === tooLate ? tooLate : error;
      unread.push({
        server,
        reason: terminalLine(why instanceof Error ? why.message : String(why), 500),
        isOff: false,
      });
    } finally {
      deadline.dispose();
    }
  };
  const wanted = sources.filter(({ off }) => off !== "not wanted");
  await Promise.all(wanted.map(read));
  return {
    locks,
    unread: unread.sort((a, b) => (a.server < b.server ? -1 : 1)),
    configured: new Set(sources.map(({ serverId }) => serverId)),
    isAll: only === undefined,
    isPartial: problems.some(({ severity, serverId }) => severity === "error" && serverId === undefined),
  };
}

/**
 * The connection of a server that is up, or that nobody has started yet. One that had its time gets
 * no more.
 */
async function connectionOf(
  provider: McpProvider,
  server: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Connection> {
  const status = provider.statuses().find(({ id }) => id === server);
  if (status?.state === "connecting") throw new Error(`did not come up within ${formatDuration(timeoutMs)}`);
  if (status?.error !== undefined && status.state !== "ready") throw status.error;
  return provider.connection(server, { signal });
}

type Source = LoadedConfig["sources"][number];

/**
 * All entries of `tools/list` as they came: a lock is of what the server says, not of what this
 * host makes of it.
 */
async function listAll(connection: Connection, signal: AbortSignal): Promise<readonly JsonObject[]> {
  if (!isJsonObject(connection.server.capabilities["tools"])) return [];
  const cursors = createPageCursors(defaultLimits);
  const entries = new Map<unknown, JsonObject>();
  let cursor: string | undefined;
  do {
    const page = await connection.request("tools/list", cursor === undefined ? {} : { cursor }, { signal });
    if (!isJsonObject(page) || !Array.isArray(page["tools"])) throw new Error("tools/list was answered without tools");
    const before = entries.size;
    for (const entry of page["tools"])
      if (isJsonObject(entry) && !entries.has(entry["name"])) entries.set(entry["name"], entry);
    const end = cursors.follow(page["nextCursor"], () => entries.size > before);
    if (end.truncated !== undefined) throw new Error(`tools/list does not come to an end: ${end.truncated}`);
    cursor = end.cursor;
  } while (cursor !== undefined);
  return Array.from(entries.values());
}
