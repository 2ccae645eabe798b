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

/**
 * Under which key the names of a server's tools are kept: one for each server, so that nobody who
 * has other servers writes over them.
 */
function namesKey(providerName: string, naming: NamingStrategy): (serverId: string) => string {
  const scope = scopeOf(providerName, naming);
  return (serverId) => `hostside:names:${hashJson([...scope, serverId])}`;
}

// Names of another naming are no use.
function scopeOf(providerName: string, naming: NamingStrategy): (string | number | boolean)[] {
  const { prefix, separator, showServer, omitEcho = false, repaired, legal } = naming;
  const { maxLength, hashLength, hashSeparator, trimCut } = naming;
  const rules = [prefix, separator, showServer, omitEcho, repaired, legal.source, maxLength];
  return [providerName, ...rules, hashLength, hashSeparator, trimCut];
}

/** Remote names with their local names. */
export type LocalNames = readonly (readonly [toolName: string, localName: string])[];

/** Reads names as they are kept; `undefined` for what they are not. Nothing of it is trusted. */
function readNames(kept: unknown, naming: NamingStrategy): LocalNames | undefined {
  if (!Array.isArray(kept)) return undefined;
  const names = kept.filter((pair): pair is readonly [string, string] => {
    return Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === "string");
  });
  const isWhole = names.length === kept.length && names.every(([, name]) => isLegalName(name, naming));
  return isWhole && distinct(names).length === names.length ? names : undefined;
}

/** The newer names, and of the older ones those that they leave free. */
function mergeNames(newer: LocalNames, older: LocalNames): LocalNames {
  return distinct([...newer, ...older]);
}

/** Of two that say something of one tool, or have one name, the first. */
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
  follow(provider: Pick<McpProvider, "onToolsChanged">, names: NameBook): Subscription;
  /**
   * Follows nobody any more; resolves when what is being written is. What could not be kept, and
   * waits for its next try, is not tried again.
   */
  close(): Promise<void>;
}

/** What knows the names that are given. */
type NameBook = Pick<McpProvider, "savedNames">;

/** With what names are kept. */
export interface KeptNamesInit {
  readonly store: Store;
  /**
   * Lets one at a time add names of a server, among all that share the store. Default: in this
   * process.
   */
  readonly lock?: Lock | undefined;
  readonly providerName: string | undefined;
  readonly naming: NamingStrategy | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
}

const longestReadMs = 3000;
const longestWriteMs = 10_000;
const retryMs = 60_000;
const version: ValueVersion = { what: "names of tools", version: 1 };

/** Makes what keeps names in a store. Nothing is read or written yet. */
export function createKeptNames({
  store,
  providerName = "mcp",
  naming = hostsideNaming,
  ...means
}: KeptNamesInit): KeptNames {
  const { report, lock = createMemoryLock() } = means;
  const keyOf = namesKey(providerName, naming);
  const written = new Map<string, LocalNames>();
  /** Of which it was said that they could not be kept, and have not been since. */
  const unkept = new Set<string>();
  let isClosed = false;
  let next: SavedNames | undefined;
  let writing: Promise<void> | undefined;
  let book: NameBook | undefined;
  let cancelRetry: Cancel | undefined;

  const complain = (serverId: string, what: string): void =>
    report({ kind: "not-kept", serverId, message: `names of tools of server ${JSON.stringify(serverId)} ${what}` });
  const read = async (serverId: string): Promise<LocalNames> => {
    const kept = readVersioned(await store.get(keyOf(serverId)), version);
    if (kept === undefined) return [];
    const names = readNames(kept, naming);
    if (names === undefined) complain(serverId, "are malformed where they are kept, and are given anew");
    return names ?? [];
  };
  const write = async (serverId: string, names: LocalNames): Promise<void> => {
    if (sameJson(written.get(serverId), names)) {
      unkept.delete(serverId);
      return;
    }
    try {
      await lock.withLock(keyOf(serverId), longestWriteMs, async (signal, fencingToken) => {
        const kept = new Map(await read(serverId));
        if (names.every(([toolName, localName]) => kept.get(toolName) === localName)) return;
        const merged = mergeNames(names, [...kept]).map((pair) => [...pair]);
        // Not every store knows of fencing tokens.
        signal.throwIfAborted();
        await store.set(keyOf(serverId), writeVersioned(merged, version), undefined, fencingToken);
      });
      written.set(serverId, names);
      unkept.delete(serverId);
    } catch {
      // An outage concerns every change of every provider.
      if (!unkept.has(serverId)) complain(serverId, "could not be kept; after a restart they may be others");
      unkept.add(serverId);
    }
  };
  // Of changes that come while others are written, the last one has all.
  const writeAll = async (): Promise<void> => {
    // Not before whoever starts this knows of it: with nothing to write, it would be over sooner
    // than it is known to have begun.
    await Promise.resolve();
    let isComplete = true;
    while (next !== undefined) {
      const { servers } = next;
      next = undefined;
      for (const [serverId, given] of servers) await write(serverId, given);
      isComplete = !servers.some(([serverId]) => unkept.has(serverId));
    }
    writing = undefined;
    if (!isComplete && !isClosed) cancelRetry = clock.schedule(retryMs, keep);
  };
  const keep = (): void => {
    if (isClosed) return;
    cancelRetry?.();
    next = book?.savedNames();
    writing ??= writeAll();
  };
  return {
    recall: (serverIds, signal) => recallNames(serverIds, { read, complain, signal }),
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

/** How the names of one server are read, and what is said where they are not. */
interface Recalling {
  readonly read: (serverId: string) => Promise<LocalNames>;
  readonly complain: (serverId: string, what: string) => void;
  readonly signal: AbortSignal | undefined;
}

async function recallNames(serverIds: readonly string[], recalling: Recalling): Promise<SavedNames> {
  const { read, complain, signal } = recalling;
  const found = await Promise.all(
    serverIds.map(async (serverId) => {
      try {
        const reading = signal === undefined ? read(serverId) : untilAborted(read(serverId), signal);
        const names = await resultWithin(reading, longestReadMs);
        if (names === undefined) complain(serverId, "could not be read in time, and are given anew");
        return [serverId, names ?? []] as const;
      } catch {
        if (signal?.aborted !== true) complain(serverId, "could not be read, and are given anew");
        return [serverId, []] as const;
      }
    }),
  );
  // Processes with other servers may have given a name twice.
  const taken = new Set<string>();
  const servers = found.map(([serverId, names]) => [serverId, distinct(names, taken)] as const);
  return { version: 1, servers: servers.filter(([, names]) => names.length > 0) };
}
