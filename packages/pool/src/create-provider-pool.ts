import { assertServerSpec, ToolportError, type ServerSpec } from "@toolport/core";
import {
  assertKnownOptions,
  assertReason,
  assertSignal,
  compareText,
  copySpec,
  createEvent,
  kindOf,
  quoteText,
  type Fields,
} from "@toolport/core/implement";
import { fingerprintServers, type McpProvider } from "@toolport/provider";
import { createCreation } from "./create-entry.ts";
import { deferred } from "./deferred.ts";
import { closeWithin, createEndings } from "./end-entry.ts";
import { allEnding, untilGone, type Entry, type ServerConfig } from "./entry.ts";
import { assertKey, createObtain } from "./obtain-provider.ts";
import { readPoolOptions, type ProviderPoolOptions } from "./pool-options.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { Lease, PooledStatus, PoolEvent, ProviderPool, WishOptions } from "./provider-pool.ts";
import { createSlots } from "./slots.ts";
import { createSweep } from "./sweep.ts";

const wishFields: Fields<WishOptions> = { signal: true };
const defaultKey = "shared";

/**
 * A pool of providers. Nothing is made before it is wanted, and no timer runs while there is none.
 *
 * Throws a `TypeError` that names an option that cannot be used, `invalid_spec` for a server and `duplicate_server` for two of one id.
 */
export function createProviderPool(options: ProviderPoolOptions): ProviderPool {
  const settings = readPoolOptions(options);
  const { clock, drainMs } = settings;
  let config = readConfig(settings.servers);
  let shutDown: Promise<void> | undefined;
  let closedBecause = "";
  const parts: PoolParts = {
    settings,
    entries: new Map(),
    ending: new Map(),
    owned: new WeakSet(),
    events: createEvent<PoolEvent>(),
    config: () => config,
  };
  const { entries, ending, events } = parts;
  const slots = createSlots({
    max: settings.maxProviders,
    waitMs: settings.waitMs,
    clock,
    makeRoom: () => sweep.displaceOne(),
  });
  const endings = createEndings(parts, slots);
  const sweep = createSweep(parts, endings);
  const creation = createCreation({ ...parts, endings, slots, onReady: sweep.arm });

  const assertOpen = (): void => {
    if (shutDown !== undefined) throw new ToolportError(`the pool was shut down: ${closedBecause}`, { code: "closed" });
  };
  const obtain = createObtain({ parts, creation, assertOpen });
  const shutdownAll = (reason = "client shutdown"): Promise<void> => {
    assertReason(reason);
    if (shutDown !== undefined) return shutDown;
    closedBecause = reason;
    // First of all it is known: what ends fires events, and who hears them may ask for more.
    const { promise, resolve } = deferred();
    shutDown = promise;
    sweep.stop();
    // What was disposed of may still have calls under way.
    for (const { state } of allEnding(ending))
      if (state.name === "ending" && state.provider !== undefined) void closeWithin(state.provider, reason, settings);
    for (const entry of Array.from(entries.values())) void endings.end(entry, { why: "shutdown", reason, drainMs: 0 });
    resolve(untilGone(ending).then(() => events.close()));
    return promise;
  };
  return {
    async getOrCreate(key = defaultKey, wish = {}) {
      return obtain(key, readSignal("getOrCreate()", wish), (_, provider) => provider);
    },
    get(key = defaultKey) {
      assertKey(key);
      const entry = entries.get(key);
      if (entry?.state.name !== "ready") return undefined;
      entry.usedAt = clock.now();
      return entry.state.provider;
    },
    async lease(key = defaultKey, wish = {}) {
      return obtain(key, readSignal("lease()", wish), (entry, provider) =>
        leaseOf(entry, provider, () => {
          entry.usedAt = clock.now();
          slots.pump();
        }),
      );
    },
    async dispose(key, reason = "disposed") {
      assertKey(key);
      assertReason(reason);
      const entry = entries.get(key);
      if (entry !== undefined) void endings.end(entry, { why: "disposed", reason, drainMs });
      await untilGone(ending, key);
      return entry !== undefined;
    },
    shutdownAll,
    updateConfig(servers) {
      assertOpen();
      config = readConfig(servers);
    },
    statuses: () => [...entries.values(), ...allEnding(ending)].map((entry) => statusOf(entry, parts)).sort(byKey),
    onEvent: events.on,
    [Symbol.asyncDispose]: () => shutdownAll(),
  };
}

function leaseOf(entry: Entry, provider: McpProvider, onRelease: () => void): Lease {
  let isHeld = true;
  entry.leases += 1;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    entry.leases -= 1;
    onRelease();
  };
  return { key: entry.key, provider, release, [Symbol.dispose]: release };
}

function statusOf(entry: Entry, { settings, config }: PoolParts): PooledStatus {
  const { key, state, leases } = entry;
  return {
    key,
    state: state.name,
    fingerprint: entry.config.fingerprint,
    outdated: entry.config !== config(),
    leases,
    busy: state.name !== "creating" && state.provider?.busy === true,
    idleMs: Math.max(0, settings.clock.now() - entry.usedAt),
  };
}

function byKey(a: PooledStatus, b: PooledStatus): number {
  return compareText(a.key, b.key);
}

function readConfig(servers: readonly ServerSpec[]): ServerConfig {
  if (!Array.isArray(servers)) throw new TypeError(`servers must be an array of specs, not ${kindOf(servers)}`);
  const copies = servers.map((spec: ServerSpec) => {
    assertServerSpec(spec);
    return copySpec(spec);
  });
  const ids = new Set<string>();
  for (const { id } of copies) {
    if (ids.has(id)) throw twiceError(id);
    ids.add(id);
  }
  return { servers: copies, fingerprint: fingerprintServers(copies) };
}

function twiceError(id: string): ToolportError {
  return new ToolportError(`server ${quoteText(id)} is in the set twice`, { code: "duplicate_server", serverId: id });
}

function readSignal(owner: string, wish: WishOptions): AbortSignal | undefined {
  assertKnownOptions(owner, wish, wishFields);
  if (wish.signal !== undefined) assertSignal(wish.signal);
  return wish.signal;
}
