import { assertServerSpec, HostsideError, type ServerSharing, type ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertReason,
  assertSignal,
  compareText,
  copySpec,
  kindOf,
  quoteText,
  sharingOf,
  type Fields,
  clock,
  createEvent,
  onAbort,
  untilAborted,
  type EventSource,
} from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { assertFits, none, plus, CapacityTracker, excess, isNone, type Capacity } from "./capacity.ts";
import { createServerConfig, type Owner, type ServerConfig, closedError, Entries, type PoolEntry } from "./entries.ts";
import { readPoolOptions, type PoolSettings } from "./pool-options.ts";
import type {
  ConversationKey,
  ConversationLease,
  LeaseOptions,
  SharedOwner,
  SharedProviders,
  SharedProvidersOptions,
  SharedTarget,
  SharedEvent,
  SharedStatus,
} from "./shared-providers.ts";
import { type LeaseRequest, WaitQueue, type CapacityNeed } from "./wait-queue.ts";

const requestFields: Fields<LeaseOptions> = { signal: true };
const keyFields: Fields<ConversationKey> = { conversation: true, principal: true };
const sharings: readonly ServerSharing[] = ["shared", "principal", "conversation"];

/**
 * Providers for conversations that share connections where they may: each server is in the provider
 * of all, of a principal or of a conversation, as its `sharing` says. Nothing is made before it is
 * wanted, and no timer runs while there is none.
 *
 * Throws a `TypeError` that names an option that cannot be used, `invalid_spec` for a server,
 * `duplicate_server` for two of one id, and `overloaded` for more servers than the bounds have room
 * for.
 *
 * @example
 * const shared = createSharedProviders({
 *   servers,
 *   make: ({ servers, principal }) => createProvider({ connector, servers, principal }),
 * });
 * using lease = await shared.lease({ principal: "ada", conversation: "42" });
 */
export function createSharedProviders(options: SharedProvidersOptions): SharedProviders {
  const settings = readPoolOptions(options);
  const pool = new Pool(settings, options.make, readSets(options.servers ?? [], settings));
  const shutdownAll = (reason = "client shutdown"): Promise<void> => {
    assertReason(reason);
    return pool.shutDown(reason);
  };
  return {
    async lease(given, request = {}) {
      const key = readKey("lease()", given);
      assertKnownOptions("lease()", request, requestFields);
      if (request.signal !== undefined) assertSignal(request.signal);
      return pool.obtain(requestOf(key), request.signal, (found, providers): ConversationLease => {
        const release = pool.hold(found);
        return { ...key, providers, release, [Symbol.dispose]: release };
      });
    },
    async dispose(target, reason = "disposed") {
      const isFor = readTarget(target);
      assertReason(reason);
      return pool.dispose(isFor, reason);
    },
    shutdownAll,
    updateConfig(servers) {
      pool.assertOpen();
      pool.update(readSets(servers, settings));
    },
    statuses: () => pool.statuses().toSorted(byOwner),
    onEvent: pool.events.on,
    [Symbol.asyncDispose]: () => shutdownAll(),
  };
}

function readSets(servers: readonly ServerSpec[], { limits }: PoolSettings): SharedSets {
  const specs = readServers(servers);
  const configFor = (sharing: ServerSharing): ServerConfig =>
    createServerConfig(
      specs.filter((spec) => sharingOf(spec) === sharing),
      sharing,
    );
  const configs = {
    shared: configFor("shared"),
    principal: configFor("principal"),
    conversation: configFor("conversation"),
  };
  // A provider without servers is not made, and takes no place.
  const made = Object.values(configs).filter((config) => config.servers.length > 0);
  assertFits(made.map(({ takes }) => takes).reduce(plus, none), limits);
  return { configs, sharingOf: new Map(specs.map((spec) => [spec.id, sharingOf(spec)])) };
}

/** Copies the specs; throws for what is no list of servers, each with an id of its own. */
function readServers(servers: readonly ServerSpec[]): readonly ServerSpec[] {
  if (!Array.isArray(servers)) throw new TypeError(`servers must be an array of specs, not ${kindOf(servers)}`);
  const ids = new Set<string>();
  return servers.map((spec: ServerSpec) => {
    assertServerSpec(spec);
    const { id } = spec;
    const message = `server ${quoteText(id)} is in the set twice`;
    if (ids.has(id)) throw new HostsideError(message, { code: "duplicate_server", serverId: id });
    ids.add(id);
    return copySpec(spec);
  });
}

type Key = { readonly conversation: string; readonly principal?: string };

function readKey(operation: string, key: ConversationKey): Key {
  assertKnownOptions(operation, key, keyFields);
  const { conversation, principal } = key;
  assertText("conversation", conversation);
  if (principal === undefined) return { conversation };
  assertText("principal", principal);
  return { conversation, principal };
}

function readTarget(target: SharedTarget): (owner: Owner) => boolean {
  if ("conversation" in Object(target)) {
    const own = ownerOf({ sharing: "conversation", ...readKey("dispose()", target as ConversationKey) });
    return ({ id }) => id === own.id;
  }
  assertKnownOptions("dispose()", target, keyFields);
  const { principal } = target;
  assertText("principal", principal);
  return ({ label }) => label.sharing !== "shared" && label.principal === principal;
}

function assertText(name: string, text: unknown): asserts text is string {
  if (typeof text !== "string" || text === "") throw new TypeError(`${name} must be a text that is not empty`);
}

function ownerOf(label: SharedOwner): Owner {
  const { sharing, principal, conversation } = label;
  const whose = principal === undefined ? "nobody in particular" : `principal ${quoteText(principal)}`;
  const own = conversation === undefined ? whose : `conversation ${quoteText(conversation)} of ${whose}`;
  // As JSON no two are alike, whatever their texts have in them.
  const id = JSON.stringify([sharing, principal ?? null, conversation ?? null]);
  return { id, title: sharing === "shared" ? "all" : own, label };
}

/** The provider of all, that of the principal and that of the conversation. */
function requestOf(key: Key): LeaseRequest {
  const { principal } = key;
  const own = ownerOf({ sharing: "conversation", ...key });
  const ofPrincipal = ownerOf({ sharing: "principal", ...(principal !== undefined && { principal }) });
  return { owners: [ownerOf({ sharing: "shared" }), ofPrincipal, own], principal, title: own.title };
}

function byOwner(a: SharedOwner, b: SharedOwner): number {
  return (
    sharings.indexOf(a.sharing) - sharings.indexOf(b.sharing) ||
    compareText(a.principal ?? "", b.principal ?? "") ||
    compareText(a.conversation ?? "", b.conversation ?? "")
  );
}

/** The servers of each kind of owner. */
interface SharedSets {
  readonly configs: Readonly<Record<ServerSharing, ServerConfig>>;
  readonly sharingOf: ReadonlyMap<string, ServerSharing>;
}

/** A request that waits for room, or for what is made. */
interface PendingRequest {
  readonly request: LeaseRequest;
  /** Aborts with what the request is rejected with. */
  readonly controller: AbortController;
}

/** Hands out the providers of owners, as many as there may be. */
class Pool {
  readonly events: EventSource<SharedEvent> = createEvent<SharedEvent>();
  readonly #settings: PoolSettings;
  #sets: SharedSets;
  readonly #entries: Entries;
  readonly #queue: WaitQueue;
  readonly #pending = new Set<PendingRequest>();
  #ended: Promise<void> | undefined;
  #closedBecause = "";

  constructor(settings: PoolSettings, make: SharedProvidersOptions["make"], sets: SharedSets) {
    this.#settings = settings;
    this.#sets = sets;
    const capacity = new CapacityTracker(settings.limits, () => this.#queue.pump());
    const entries = new Entries({
      settings,
      capacity,
      make,
      configOf: (owner) => this.#configOf(owner),
      hasMoved: (id, { label: { sharing } }) => (this.#sets.sharingOf.get(id) ?? sharing) !== sharing,
      tell: ({ label }, what) => this.events.emit({ ...what, ...label }),
    });
    this.#entries = entries;
    const rules = {
      waitMs: settings.waitMs,
      needs: (request: LeaseRequest) => this.#needsOf(request),
      admit: (request: LeaseRequest) => this.#admit(request),
      idle: () => entries.idle(),
      displace: (entry: PoolEntry) => void entries.end(entry, { why: "displaced", reason: "displaced" }),
    };
    this.#queue = new WaitQueue(rules, capacity);
  }

  /** Throws `closed` when the pool was shut down. */
  assertOpen(): void {
    if (this.#ended !== undefined)
      throw new HostsideError(`the pool was shut down: ${this.#closedBecause}`, { code: "closed" });
  }

  /**
   * Gets all that a request is for. `take` is called in the turn in which it is known to be there:
   * a moment later it may be displaced.
   */
  async obtain<T>(
    request: LeaseRequest,
    signal: AbortSignal | undefined,
    take: (found: readonly PoolEntry[], providers: readonly McpProvider[]) => T,
  ): Promise<T> {
    const entries = this.#entries;
    for (;;) {
      this.assertOpen();
      if (signal?.aborted === true) throw abortedError(request, signal.reason);
      const entered = this.#queue.enter(request);
      const isThere = entered?.every(({ state }) => state.name === "ready") === true;
      const pinned = isThere ? entered : await this.#untilThere(request, entered, signal);
      for (const entry of pinned) entries.leave(entry);
      // One may have ended in the turn in which it became ready, or is to have other servers by
      // now.
      const wanted = request.owners.filter((owner) => this.#isWanted(owner));
      const found = wanted.map(({ id }) => entries.live.get(id)).filter((entry) => entry !== undefined);
      const providers = found.flatMap(({ state }) => (state.name === "ready" ? [state.provider] : []));
      if (providers.length < wanted.length) continue;
      if (found.some((entry) => !pinned.includes(entry) || entries.isOutdated(entry))) continue;
      for (const entry of found) entry.usedAt = this.#now;
      return take(found, providers);
    }
  }

  /** Says that somebody uses them, until the function that this returns is called. */
  hold(held: readonly PoolEntry[]): () => void {
    let isHeld = true;
    for (const entry of held) entry.leases += 1;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const entry of held) {
        entry.leases -= 1;
        entry.usedAt = this.#now;
      }
      this.#queue.pump();
    };
  }

  /**
   * Ends the providers of some owners, and every wait for them. Resolves, when nothing is left of
   * them, to whether there was any.
   */
  async dispose(isFor: (owner: Owner) => boolean, reason: string): Promise<boolean> {
    const { drainMs } = this.#settings;
    const ended = Array.from(this.#entries.live.values()).filter(({ owner }) => isFor(owner));
    for (const entry of ended) void this.#entries.end(entry, { why: "disposed", reason, drainMs });
    const waiting = this.#endPending(isFor, reason);
    await this.#entries.untilGone(isFor);
    return ended.length + waiting > 0;
  }

  /** Ends all, and refuses new requests. The same promise each time. */
  shutDown(reason: string): Promise<void> {
    if (this.#ended !== undefined) return this.#ended;
    this.#closedBecause = reason;
    let begin: (ended: Promise<void>) => void = () => {};
    // First of all it is known: what ends fires events, and who hears them may ask for more.
    this.#ended = new Promise<void>((resolve) => (begin = resolve));
    this.#queue.close();
    this.#entries.endAll(reason);
    this.#endPending(() => true, reason);
    begin(this.#entries.untilGone(() => true).then(() => this.events.close()));
    return this.#ended;
  }

  /** Takes other sets from now on. */
  update(sets: SharedSets): void {
    this.#sets = sets;
    this.#entries.takeMoved();
  }

  statuses(): readonly SharedStatus[] {
    return [...this.#entries.live.values(), ...this.#entries.ending].map((entry) => {
      const { owner, state, config, leases, takes, usedAt } = entry;
      return {
        ...owner.label,
        state: state.name,
        fingerprint: config.fingerprint,
        outdated: config !== this.#configOf(owner),
        leases,
        busy: state.name !== "creating" && state.provider?.busy === true,
        idleMs: Math.max(0, this.#now - usedAt),
        connections: takes.maxConnections,
        processes: takes.maxProcesses,
      };
    });
  }

  get #now(): number {
    return clock.now();
  }

  #configOf({ label }: Owner): ServerConfig {
    return this.#sets.configs[label.sharing];
  }

  #isWanted(owner: Owner): boolean {
    return this.#configOf(owner).servers.length > 0;
  }

  #needsOf({ owners }: LeaseRequest): readonly CapacityNeed[] {
    return owners.flatMap((owner) => {
      const entry = this.#entries.live.get(owner.id);
      const { takes } = this.#configOf(owner);
      const needOf = (amounts: Capacity): readonly CapacityNeed[] =>
        isNone(amounts) ? [] : [{ id: owner.id, amounts }];
      if (entry === undefined) return this.#isWanted(owner) ? needOf(takes) : [];
      if (entry.state.name !== "ready" || !this.#entries.isOutdated(entry)) return [];
      return needOf(excess(takes, entry.takes));
    });
  }

  #admit({ owners }: LeaseRequest): readonly PoolEntry[] {
    return owners.flatMap((owner) => {
      const known = this.#entries.live.get(owner.id);
      if (known !== undefined && this.#entries.isOutdated(known)) void this.#entries.give(known, this.#configOf(owner));
      if (!this.#isWanted(owner)) return [];
      const entry = known ?? this.#entries.begin(owner);
      entry.waiters += 1;
      return [entry];
    });
  }

  /** Resolves to the entries of a request when all of them are made. */
  async #untilThere(
    request: LeaseRequest,
    entered: readonly PoolEntry[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly PoolEntry[]> {
    const controller = new AbortController();
    const stopListening = signal && onAbort(signal, () => controller.abort(abortedError(request, signal.reason)));
    const pending: PendingRequest = { request, controller };
    this.#pending.add(pending);
    let pinned = entered ?? [];
    try {
      if (entered === undefined) pinned = await this.#queue.wait(request, controller.signal);
      await untilAborted(Promise.all(pinned.map(untilMade)), controller.signal);
      return pinned;
    } catch (error) {
      for (const entry of pinned) this.#entries.leave(entry);
      this.#queue.pump();
      throw error;
    } finally {
      this.#pending.delete(pending);
      stopListening?.();
    }
  }

  /** Ends the waits of requests for some owners. Returns how many there were. */
  #endPending(isFor: (owner: Owner) => boolean, reason: string): number {
    const ended = Array.from(this.#pending).filter(({ request }) => request.owners.some(isFor));
    for (const { request, controller } of ended) controller.abort(closedError(request.title, reason));
    return ended.length;
  }
}

async function untilMade({ state }: PoolEntry): Promise<void> {
  if (state.name !== "creating") return;
  try {
    await state.attempt;
  } catch (error) {
    // Then it is looked again what the request is for.
    if (!state.isEmptied) throw error;
  }
}

function abortedError({ title }: LeaseRequest, reason: unknown): HostsideError {
  return new HostsideError(`the wait for the provider of ${title} was given up`, { code: "aborted", cause: reason });
}
