import type { JsonObject } from "@hostside/core";
import { compareText, quoteText, isJsonObject } from "@hostside/core/implement";
import { diffLocks, lockTools, type ToolChange, type ToolLock, parseLock } from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CommandContext } from "../command-context.ts";
import { messageOf, usageError } from "../exit-codes.ts";
import { openHost } from "../opening/open-host.ts";
import { followStart, startTimeoutMs } from "../opening/start-servers.ts";
import { formatCount, formatDuration } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";

/**
 * Locks of all servers of a configuration, by their ids. The file is
 * `{ "lockVersion": 1, "servers": { "<id>": <lock> } }`; `servers` is what the option `pins.locks`
 * of a policy takes, as it is.
 */
export type ServersLock = ReadonlyMap<string, ToolLock>;

/** The path of a lock file. Default: `hostside-lock.json` in the working folder. */
export function lockPath(file: string | undefined, { terminal }: Pick<CommandContext, "terminal">): string {
  return resolve(terminal.cwd, file ?? "hostside-lock.json");
}

/**
 * Reads a lock file; `undefined` when there is none. Throws a usage error for one that cannot be
 * read, so that nothing is written over it.
 */
export async function readLockFile(path: string): Promise<ServersLock | undefined> {
  try {
    return parseServersLock(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`${path}: ${messageOf(error)}`);
  }
}

/**
 * The text of a lock file, with servers in the order of their ids, so that two of the same offers
 * are the same.
 */
export function formatServersLock(locks: ServersLock): string {
  const entries = Array.from(locks).sort(([a], [b]) => compareText(a, b));
  return `${JSON.stringify({ lockVersion: 1, servers: Object.fromEntries(entries) }, null, 2)}\n`;
}

/**
 * Reads the text of a lock file. Throws an error that says what is wrong with it, and of which
 * server; also when a hash is not that of its definition.
 */
export function parseServersLock(text: string): ServersLock {
  const data: unknown = JSON.parse(text);
  if (!isJsonObject(data) || data["lockVersion"] !== 1) throw new TypeError("it is no lock file of version 1");
  const { servers } = data;
  if (Array.isArray(data["tools"])) throw new TypeError("it is the lock of one server; hostside wants one of all");
  if (!isJsonObject(servers)) throw new TypeError("servers must be an object by server id");
  return new Map(
    Object.entries(servers).map(([id, lock]) => {
      try {
        return [id, parseLock(JSON.stringify(lock, null, 2))];
      } catch (cause) {
        // Lines of the part are not those of the file.
        const message = messageOf(cause).replace(/ \(line \d+\)/, "");
        throw new TypeError(`servers[${JSON.stringify(id)}]: ${message}`, { cause });
      }
    }),
  );
}

/** A server whose offer is not known, and why. */
interface UnreadServer {
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
 * Starts the servers, reads the tools that are on offer as their servers list them, and ends. Calls
 * nothing. `only`: ids as somebody typed them.
 */
export async function readOffers(context: CommandContext, only: readonly string[] | undefined): Promise<Offers> {
  await using opened = await openHost(context, { only, off: "show", wait: false });
  await followStart(opened, context);
  const { host, provider } = opened;
  const { sources = [], problems = [] } = host.config ?? {};
  const locks = new Map<string, ToolLock>();
  const off: UnreadServer[] = [];
  const failed: UnreadServer[] = [];
  for (const { serverId: server, state, off: why } of sources) {
    if (state === "off") {
      if (why !== "not wanted") off.push({ server, reason: `is off: ${why ?? "disabled"}` });
      continue;
    }
    const late = `did not come up within ${formatDuration(startTimeoutMs(context))}`;
    const offer = state === "on" ? readOffer(server, provider) : "has an entry that cannot be used";
    if (typeof offer === "object") locks.set(server, offer);
    else failed.push({ server, reason: terminalLine(offer ?? late, 500) });
  }
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
 * The tools of a server, as it listed them; or why they are not all known. `undefined`: it is still
 * starting.
 */
function readOffer(server: string, provider: McpProvider): ToolLock | string | undefined {
  const status = provider.statuses().find(({ id }) => id === server);
  if (status?.state !== "ready") return status?.error?.message;
  if (status.degraded !== undefined) return `ended its list of tools early (${status.degraded})`;
  const entries: JsonObject[] = [];
  for (const { origin, entry } of provider.tools()) {
    if (origin?.serverId !== server) continue;
    if (entry === undefined) return `has a tool whose entry cannot be kept: ${quoteText(origin.toolName, 200)}`;
    entries.push(entry);
  }
  return lockTools(entries, status.server);
}

/** One difference between a lock file and what is offered now. */
export interface OfferChange extends ToolChange {
  readonly server: string;
}

/** A lock file that was made anew. */
export interface RenewedLock {
  readonly locks: ServersLock;
  readonly locked: readonly {
    readonly server: string;
    readonly tools: number;
    readonly hash: string;
    readonly was: "new" | "same" | "changed";
  }[];
  /** Servers whose locks stay what they were, because what they offer now is not known. */
  readonly kept: readonly { readonly server: string; readonly reason: string }[];
  /** Servers that are configured no more. */
  readonly removed: readonly string[];
}

/**
 * Makes a lock file anew after servers were asked. A server that could not be asked keeps the lock
 * that it has.
 */
export function renewLocks(before: ServersLock, offers: Offers): RenewedLock {
  const removed = goneServers(before, offers);
  const locks = new Map([...before, ...offers.locks]);
  for (const server of removed) locks.delete(server);
  const locked = sorted(offers).map(([server, { tools, hash }]) => {
    const old = before.get(server);
    const was = old === undefined ? "new" : old.hash === hash ? "same" : "changed";
    return { server, tools: tools.length, hash, was } as const;
  });
  const kept = offers.unread.filter(({ server }) => before.has(server));
  return { locks, locked, kept: kept.map(({ server, reason }) => ({ server, reason })), removed };
}

/**
 * Compares the offers of servers with a lock file. It skips servers that could not be
 * asked.
 */
export function compareOffers(before: ServersLock, offers: Offers): readonly OfferChange[] {
  const gone = goneServers(before, offers).map((server): OfferChange => {
    return { server, kind: "breaking", path: "", what: "is configured no more" };
  });
  const changed = sorted(offers).flatMap(([server, lock]): readonly OfferChange[] => {
    const old = before.get(server);
    if (old !== undefined) return diffLocks(old, lock).map((change) => ({ server, ...change }));
    const what = `is new, with ${formatCount(lock.tools.length, "tool")}`;
    return [{ server, kind: "compatible", path: "", what }];
  });
  return [...gone, ...changed].sort((a, b) => compareText(a.server, b.server));
}

/** Servers of a lock file that no file of the configuration has any more. */
function goneServers(before: ServersLock, { configured, isAll, isPartial }: Offers): readonly string[] {
  return isAll && !isPartial ? [...before.keys()].filter((server) => !configured.has(server)) : [];
}

function sorted({ locks }: Offers) {
  return Array.from(locks).sort(([a], [b]) => compareText(a, b));
}
