import { hashJson, isLegalName, hostsideNaming, type NamingStrategy, type SavedNames } from "@hostside/naming";
import {
  clock,
  foldCase,
  readVersioned,
  resultWithin,
  sameJson,
  untilAborted,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import {
  createMemoryLock,
  type Cancel,
  type Diagnostic,
  type Lock,
  type Store,
  type Subscription,
} from "@hostside/core";
import type { McpProvider } from "@hostside/provider";

/** Local names of tools, kept over a restart. */
export interface KeptNames {
  /**
   * Names to give again, for these servers. Never rejects: what is malformed, or cannot be read in
   * time, is left out, and a diagnostic says so. Nothing is waited for after `signal` aborts.
   */
  recall(serverIds: readonly string[], signal?: AbortSignal): Promise<SavedNames>;
  /**
   * Keeps the names in a book from now on, whenever the tools of this provider change; what could
   * not be kept is tried again a minute later.
   */
  follow(provider: Pick<McpProvider, "onToolsChanged">, names: Pick<McpProvider, "savedNames">): Subscription;
  /** Ends all retries; resolves when what is being written is. */
  close(): Promise<void>;
}

/** Parts of {@linkcode createKeptNames}. */
export interface KeptNamesInit {
  readonly store: Store;
  /** Lets one at a time add names of a server. Default: in this process. */
  readonly lock?: Lock | undefined;
  readonly providerName: string | undefined;
  readonly naming: NamingStrategy | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
}

type LocalNames = readonly (readonly [toolName: string, localName: string])[];

const longestReadMs = 3000;
const longestWriteMs = 10_000;
const retryMs = 60_000;
const version: ValueVersion = { what: "names of tools", version: 1 };

/** Makes what keeps names in a store, each server's by itself. Nothing is read or written yet. */
export function createKeptNames(init: KeptNamesInit): KeptNames {
  const { store, report, providerName = "mcp", naming = hostsideNaming } = init;
  const { lock = createMemoryLock() } = init;
  const written = new Map<string, LocalNames>();
  /** Servers whose names could not be kept, which was reported. */
  const unkept = new Set<string>();
  let isClosed = false;
  let isDue = false;
  let book: Pick<McpProvider, "savedNames"> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let cancelRetry: Cancel | undefined;
  const keyOf = (serverId: string): string =>
    `hostside:names:${hashJson([...scopeOf(providerName, naming), serverId])}`;
  const complain = (serverId: string, what: string): void =>
    report({ kind: "not-kept", serverId, message: `names of tools of server ${JSON.stringify(serverId)} ${what}` });
  const read = async (serverId: string): Promise<LocalNames> => {
    const kept = readVersioned(await store.get(keyOf(serverId)), version) ?? [];
    if (!isNames(kept, naming)) complain(serverId, "are malformed where they are kept, and are given anew");
    return isNames(kept, naming) ? kept : [];
  };
  const recallOne = async (serverId: string, signal?: AbortSignal): Promise<LocalNames> => {
    try {
      const reading = signal === undefined ? read(serverId) : untilAborted(read(serverId), signal);
      const names = await resultWithin(reading, longestReadMs);
      if (names === undefined) complain(serverId, "could not be read in time, and are given anew");
      return names ?? [];
    } catch {
      if (signal?.aborted !== true) complain(serverId, "could not be read, and are given anew");
      return [];
    }
  };
  const write = async (serverId: string, names: LocalNames): Promise<void> => {
    try {
      if (!sameJson(written.get(serverId), names)) {
        await lock.withLock(keyOf(serverId), longestWriteMs, async (signal, fencingToken) => {
          const kept = await read(serverId);
          if (hasAll(kept, names)) return;
          const merged = distinct([...names, ...kept]).map((pair) => [...pair]);
          // Not every store knows of fencing tokens.
          signal.throwIfAborted();
          await store.set(keyOf(serverId), writeVersioned(merged, version), undefined, fencingToken);
        });
      }
      written.set(serverId, names);
      unkept.delete(serverId);
    } catch {
      // An outage concerns every change of every provider.
      if (!unkept.has(serverId)) complain(serverId, "could not be kept; after a restart they may be others");
      unkept.add(serverId);
    }
  };
  const writeAll = async (): Promise<void> => {
    isDue = false;
    const { servers = [] } = book?.savedNames() ?? {};
    for (const [serverId, given] of servers) await write(serverId, given);
    if (!isDue && !isClosed && servers.some(([serverId]) => unkept.has(serverId)))
      cancelRetry = clock.schedule(retryMs, keep);
  };
  // The last of several changes has all of them.
  const keep = (): void => {
    if (isClosed || isDue) return;
    isDue = true;
    cancelRetry?.();
    writing = writing.then(writeAll);
  };
  return {
    async recall(serverIds, signal) {
      const found = await Promise.all(serverIds.map((serverId) => recallOne(serverId, signal)));
      // Processes with other servers may have given a name twice.
      const taken = new Set<string>();
      const servers = serverIds.map((serverId, at) => [serverId, distinct(found[at] ?? [], taken)] as const);
      return { version: 1, servers: servers.filter(([, names]) => names.length > 0) };
    },
    follow: (provider, names) =>
      provider.onToolsChanged(() => {
        book = names;
        keep();
      }),
    async close() {
      isClosed = true;
      cancelRetry?.();
      await writing;
    },
  };
}

// Names of another naming are no use.
function scopeOf(providerName: string, naming: NamingStrategy): (string | number | boolean)[] {
  const { prefix, separator, showServer, repaired, legal } = naming;
  const { maxLength, hashLength, hashSeparator, trimCut } = naming;
  // `false` stands for an option that is gone: names that were kept before are found.
  const rules = [prefix, separator, showServer, false, repaired, legal.source, maxLength];
  return [providerName, ...rules, hashLength, hashSeparator, trimCut];
}

/** Checks names as they are kept. Nothing of them is trusted. */
function isNames(kept: unknown, naming: NamingStrategy): kept is LocalNames {
  const isPair = (pair: unknown): pair is readonly [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === "string");
  if (!Array.isArray(kept) || !kept.every(isPair)) return false;
  return kept.every(([, name]) => isLegalName(name, naming)) && distinct(kept).length === kept.length;
}

function hasAll(kept: LocalNames, names: LocalNames): boolean {
  const known = new Map(kept);
  return names.every(([toolName, localName]) => known.get(toolName) === localName);
}

/** Keeps the first of two names of one tool, and of two tools of one name. */
function distinct(names: LocalNames, taken: Set<string> = new Set()): LocalNames {
  const tools = new Set<string>();
  return names.filter(([toolName, localName]) => {
    const name = foldCase(localName);
    if (tools.has(toolName) || taken.has(name)) return false;
    tools.add(toolName);
    taken.add(name);
    return true;
  });
}
