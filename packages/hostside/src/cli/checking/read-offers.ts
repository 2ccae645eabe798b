import type { ServerSource } from "@hostside/config/node";
import { defaultLimits, type Connection, type JsonObject } from "@hostside/core";
import { compareText, createDeadline, createPageCursors, isJsonObject } from "@hostside/core/implement";
import { lockTools, type ToolLock } from "@hostside/policy/lock";
import type { McpProvider } from "@hostside/provider";
import type { CommandContext } from "../command-context.ts";
import { messageOf } from "../exit-codes.ts";
import { openHost } from "../opening/open-host.ts";
import { formatDuration } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import type { ServersLock } from "./lock-file.ts";

/** A server whose offer is not known, and why. */
export interface UnreadServer {
  readonly server: string;
  readonly reason: string;
}

/** The present offers of the servers of a configuration. */
export interface Offers {
  readonly locks: ServersLock;
  readonly unread: readonly UnreadServer[];
  /** Servers of `unread` that should have been read: those that are off on purpose are not here. */
  readonly failed: readonly UnreadServer[];
  /** Every server that is configured, whether it was asked or not. */
  readonly configured: ReadonlySet<string>;
  /** Every server was asked, not only named ones. */
  readonly isAll: boolean;
  /** A file could not be read, so that there may be more servers. */
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
  const off: UnreadServer[] = [];
  const failed: UnreadServer[] = [];
  const read = async ({ serverId: server, state, off: why }: ServerSource): Promise<void> => {
    if (state === "off") return void off.push({ server, reason: `is off: ${why ?? "disabled"}` });
    if (state !== "on") return void failed.push({ server, reason: "has an entry that cannot be used" });
    const tooLate = new Error(`did not list its tools within ${formatDuration(timeoutMs)}`);
    const deadline = createDeadline({ timeoutMs, signal: context.terminal.signal, onTimeout: () => tooLate });
    const { signal } = deadline;
    try {
      const connection = await connectionOf(provider, server, { timeoutMs, signal });
      locks.set(server, lockTools(await listAll(connection, signal), connection.server));
    } catch (error) {
      const reason = terminalLine(messageOf(signal.reason === tooLate ? tooLate : error), 500);
      failed.push({ server, reason });
    } finally {
      deadline.dispose();
    }
  };
  await Promise.all(sources.filter((source) => source.off !== "not wanted").map(read));
  return {
    locks,
    unread: [...off, ...failed].sort((a, b) => compareText(a.server, b.server)),
    failed: failed.sort((a, b) => compareText(a.server, b.server)),
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

/**
 * Lists all entries of `tools/list` as they came: a lock is of what the server says, not of what
 * this host makes of it.
 */
async function listAll(connection: Connection, signal: AbortSignal): Promise<readonly JsonObject[]> {
  if (!isJsonObject(connection.server.capabilities["tools"])) return [];
  const cursors = createPageCursors(defaultLimits);
  const entries = new Map<unknown, JsonObject>();
  let cursor: string | undefined;
  do {
    const page = await connection.request("tools/list", cursor === undefined ? {} : { cursor }, { signal });
    const tools = isJsonObject(page) ? page["tools"] : undefined;
    if (!isJsonObject(page) || !Array.isArray(tools)) throw new Error("tools/list was answered without tools");
    const before = entries.size;
    for (const entry of tools.filter(isJsonObject)) if (!entries.has(entry["name"])) entries.set(entry["name"], entry);
    const end = cursors.follow(page["nextCursor"], () => entries.size > before);
    if (end.truncated !== undefined) throw new Error(`tools/list does not come to an end: ${end.truncated}`);
    cursor = end.cursor;
  } while (cursor !== undefined);
  return [...entries.values()];
}
