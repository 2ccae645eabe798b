import type { Cancel } from "@hostside/core";
import { clock, onAbort } from "@hostside/core/implement";
import {
  boundNames,
  excess,
  fullError,
  isNone,
  lackOf,
  Ledger,
  minus,
  none,
  plus,
  type Capacity,
  type CapacityTracker,
} from "./capacity.ts";
import type { Owner, PoolEntry } from "./entries.ts";

/** A request for providers of several owners, all at once. */
export interface LeaseRequest {
  readonly owners: readonly Owner[];
  /** The principal of the request, by which turns and capacity count. */
  readonly principal: string | undefined;
  /** For messages: `conversation "a" of principal "b"`. */
  readonly title: string;
}

/** The capacity that one owner needs. */
export interface CapacityNeed {
  readonly id: string;
  readonly amounts: Capacity;
}

/** Parts of a queue. */
export interface WaitQueueRules {
  readonly waitMs: number;
  /** The owners for whom a request needs something, and how much for each. */
  readonly needs: (request: LeaseRequest) => readonly CapacityNeed[];
  /** Gives a request what it needs. */
  readonly admit: (request: LeaseRequest) => readonly PoolEntry[];
  /** Lists the entries that may make room, the least recently used first. */
  readonly idle: () => readonly PoolEntry[];
  /** Ends an idle one, which promises its places. */
  readonly displace: (entry: PoolEntry) => void;
}

interface Waiter {
  readonly request: LeaseRequest;
  /** From then on it waits only for what it is sure of. */
  readonly endsAt: number;
  readonly admit: () => void;
  readonly refuse: (lacks: Capacity) => void;
}

// Idleness is polled while a request waits: a provider does not tell when its last work has ended.
const lookMs = 50;

/** Gives requests their entries when there is room for all of them; the others wait in turn. */
export class WaitQueue {
  readonly #rules: WaitQueueRules;
  readonly #capacity: CapacityTracker;
  // In the order of the turns of principals: after each request served, that of its principal
  // passes.
  readonly #queues = new Map<string | undefined, Set<Waiter>>();
  #cancelLook: Cancel | undefined;
  #isOpen = true;
  #isDue = false;

  constructor(rules: WaitQueueRules, capacity: CapacityTracker) {
    this.#rules = rules;
    this.#capacity = capacity;
  }

  /** The entries of a request that needs no more than there is, if no other request waits. */
  enter(request: LeaseRequest): readonly PoolEntry[] | undefined {
    const { needs, admit } = this.#rules;
    const need = sumOf(needs(request));
    if (isNone(need)) return admit(request);
    const isRoom = this.#queues.size === 0 && isNone(lackOf(need, this.#capacity.left(request.principal).now));
    return isRoom ? admit(request) : undefined;
  }

  /**
   * The same as soon as there is room. Rejects with `overloaded` when there is none in time, and
   * with the reason of the signal.
   */
  wait(request: LeaseRequest, signal: AbortSignal): Promise<readonly PoolEntry[]> {
    const { waitMs, admit } = this.#rules;
    return new Promise((resolve, reject) => {
      const settle = (wasServed: boolean): void => {
        this.#leave(waiter, wasServed);
        stopListening();
      };
      const waiter: Waiter = {
        request,
        endsAt: clock.now() + waitMs,
        admit() {
          settle(true);
          resolve(admit(request));
        },
        refuse: (lacks) => {
          settle(false);
          reject(fullError(request, lacks, this.#capacity));
        },
      };
      const stopListening = onAbort(signal, () => {
        settle(false);
        reject(signal.reason as Error);
      });
      const { principal } = request;
      this.#queues.set(principal, (this.#queues.get(principal) ?? new Set()).add(waiter));
      this.#cancelLook ??= clock.schedule(lookMs, this.#look);
      this.pump();
    });
  }

  /**
   * Evicts idle entries for waiting requests: soon, and once for all that happens in one turn.
   */
  pump(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    // Later, so that a request of the same turn still finds what is there.
    void Promise.resolve().then(() => this.#pass());
  }

  /** Admits no request any more. */
  close(): void {
    this.#isOpen = false;
  }

  #pass(): void {
    this.#isDue = false;
    if (!this.#isOpen) return;
    const queues = this.#queues;
    const scan = new QueueScan(this.#rules, this.#capacity);
    for (const waiter of orderOf(queues)) {
      if (queues.get(waiter.request.principal)?.has(waiter) !== true) continue;
      const lacks = scan.fits(waiter.request) ? undefined : scan.reserve(waiter.request);
      if (lacks === undefined) waiter.admit();
      else if (clock.now() >= waiter.endsAt && !isNone(lacks)) waiter.refuse(lacks);
    }
  }

  readonly #look = (): void => {
    this.#cancelLook = clock.schedule(lookMs, this.#look);
    this.pump();
  };

  #leave(waiter: Waiter, wasServed: boolean): void {
    const { principal } = waiter.request;
    const queue = this.#queues.get(principal);
    queue?.delete(waiter);
    if (queue?.size === 0 || wasServed) this.#queues.delete(principal);
    if (queue !== undefined && queue.size > 0) this.#queues.set(principal, queue);
    this.pump();
    if (this.#queues.size > 0) return;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }
}

/** The first of each principal, then the second of each, and so on. */
function orderOf(queues: ReadonlyMap<unknown, ReadonlySet<Waiter>>): readonly Waiter[] {
  const lines = Array.from(queues.values(), (queue) => Array.from(queue));
  const longest = Math.max(0, ...lines.map(({ length }) => length));
  return Array.from({ length: longest }).flatMap((_, at) => lines.flatMap((line) => line.slice(at, at + 1)));
}

/** One look at all who wait, from the first to the last. */
class QueueScan {
  readonly #rules: WaitQueueRules;
  readonly #capacity: CapacityTracker;
  readonly #reserved = new Ledger();
  // Owners that those before wait for, and what they lack: nobody waits for the same one twice.
  readonly #awaited = new Map<string, Capacity>();
  // Owners that those before are sure to have: nobody is displaced on whom they count.
  readonly #counted = new Set<string>();
  #idle: readonly PoolEntry[] | undefined;

  constructor(rules: WaitQueueRules, capacity: CapacityTracker) {
    this.#rules = rules;
    this.#capacity = capacity;
  }

  /** Tells if there is room for a request beside those before it. */
  fits(request: LeaseRequest): boolean {
    const needs = this.#rules.needs(request);
    return !needs.some(({ id }) => this.#awaited.has(id)) && isNone(this.#lackedBy(sumOf(needs), request, "now"));
  }

  /**
   * Counts what a request needs as promised to it, and has others make room. Returns what it still
   * lacks: none, when it is sure.
   */
  reserve(request: LeaseRequest): Capacity {
    const awaited = this.#awaited;
    const needs = this.#rules.needs(request);
    const need = sumOf(needs.filter(({ id }) => !awaited.has(id)));
    const hindered = needs.map(({ id }) => awaited.get(id) ?? none).find((lack) => !isNone(lack));
    let lack = this.#lackedBy(need, request, "later");
    if (hindered === undefined && !isNone(lack) && this.#makeRoom(lack, request)) lack = none;
    const lacks = hindered ?? lack;
    if (isNone(lacks)) for (const { id } of request.owners) this.#counted.add(id);
    for (const { id } of needs) if (!awaited.has(id)) awaited.set(id, lacks);
    // Whoever waits for what is its own keeps nothing from others.
    const isHeldByOwn = lack.maxPerPrincipal > 0 && this.#choose(ownOf(lack), request) === undefined;
    this.#reserved.add(isHeldByOwn ? ownOf(need) : need, request.principal);
    return lacks;
  }

  #lackedBy(need: Capacity, { principal }: LeaseRequest, when: "now" | "later"): Capacity {
    return lackOf(need, minus(this.#capacity.left(principal)[when], this.#reserved.for(principal)));
  }

  #makeRoom(lack: Capacity, request: LeaseRequest): boolean {
    const chosen = this.#choose(lack, request);
    if (chosen === undefined) return false;
    this.#idle = this.#idle?.filter((entry) => !chosen.includes(entry));
    for (const entry of chosen) this.#rules.displace(entry);
    return true;
  }

  #choose(amounts: Capacity, { owners, principal }: LeaseRequest): readonly PoolEntry[] | undefined {
    this.#idle ??= this.#rules.idle();
    const wanted = new Set(owners.map(({ id }) => id));
    const mayGo = this.#idle.filter(({ owner }) => !wanted.has(owner.id) && !this.#counted.has(owner.id));
    return chooseDisplaced({ amounts, principal }, mayGo);
  }
}

function sumOf(needs: readonly CapacityNeed[]): Capacity {
  return needs.reduce((sum, { amounts }) => plus(sum, amounts), none);
}

function ownOf({ maxPerPrincipal }: Capacity): Capacity {
  return { ...none, maxPerPrincipal };
}

/** A lack of capacity, and its principal. */
interface Lack {
  readonly amounts: Capacity;
  readonly principal: string | undefined;
}

/**
 * Chooses entries to end until nothing lacks: the least recently used, and only as many as needed.
 * `undefined`: all of them would not do, and none is ended in vain. `idle` are those that may be,
 * the least recently used first.
 */
export function chooseDisplaced(lack: Lack, idle: readonly PoolEntry[]): readonly PoolEntry[] | undefined {
  const chosen: PoolEntry[] = [];
  let left = lack.amounts;
  for (const entry of idle) {
    if (isNone(left)) break;
    const rest = excess(left, givenBy(entry, lack));
    if (boundNames.every((name) => rest[name] === left[name])) continue;
    chosen.push(entry);
    left = rest;
  }
  if (!isNone(left)) return undefined;
  // One that came later may give so much that one before it can stay.
  let given = chosen.reduce((sum, entry) => plus(sum, givenBy(entry, lack)), none);
  return chosen.toReversed().filter((entry) => {
    const rest = minus(given, givenBy(entry, lack));
    if (!isNone(excess(lack.amounts, rest))) return true;
    given = rest;
    return false;
  });
}

/**
 * The capacity that the end of an entry gives. For `maxPerPrincipal` only a principal's own entries
 * count.
 */
function givenBy({ takes, owner }: PoolEntry, { principal }: Lack): Capacity {
  return owner.label.principal === principal ? takes : { ...takes, maxPerPrincipal: 0 };
}
