import { HostsideError, type Cancel, type Clock, type Lock, type Random } from "@hostside/core";
import { createPolledLock, quoteText, startStopwatch, storeFailed, type LockHold } from "@hostside/core/implement";
import type { EngineClient } from "./engine-client.ts";
import { assertText, engineName } from "./engine-name.ts";

/** What an engine does with locks. */
export interface LeaseEngine {
  /** The fencing token's number; `undefined` when somebody else has it. */
  take(lease: LockLease, signal: AbortSignal): Promise<number | undefined>;
  /** Whether it is still there: then it is for `ttlMs` from now. */
  renew(lease: LockLease, signal: AbortSignal): Promise<boolean>;
  release(lease: LockLease, signal: AbortSignal): Promise<unknown>;
}

/** Somebody's claim to a lock. */
export interface LockLease {
  /** Of the lock. */
  readonly name: string;
  /** Of its counter of fencing tokens. */
  readonly fencingTokenName: string;
  /** Nobody else has it. */
  readonly holder: string;
  /** Whole milliseconds. */
  readonly ttlMs: number;
}

/** What a lock over an engine is made from. */
export interface LeaseLockInit {
  readonly prefix: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly maxWaitMs: number;
  readonly holderTimeoutMs: number;
  readonly leases: LeaseEngine;
  readonly engineClient: EngineClient;
}

/** A lock that can be closed. */
export interface LeaseLock extends Lock {
  /** Takes all locks from those who have them. Resolves when the engine knows. */
  close(): Promise<void>;
}

/**
 * A lock that ends in the engine when nothing is heard of its holder, however long the lease: so
 * that the next one need not wait for the whole of a long one, and no connection is held.
 */
export function createLeaseLock(init: LeaseLockInit): LeaseLock {
  const { clock, random, maxWaitMs, prefix } = init;
  const holds = new Set<LeaseHold>();
  const startAttempt = (key: string, leaseMs: number): { take: LeaseHold["take"] } => {
    const ttlMs = Math.max(1, Math.ceil(Math.min(leaseMs, init.holderTimeoutMs)));
    const holder = crypto.randomUUID();
    return {
      async take(onLost) {
        const [name, fencingTokenName] = [
          await engineName(prefix, "lock", key),
          await engineName(prefix, "fencing-token", key),
        ];
        const hold = new LeaseHold(init, { name, fencingTokenName, holder, ttlMs }, { key, holds });
        return hold.take(onLost);
      },
    };
  };
  const lock = createPolledLock({ clock, random, maxWaitMs, startAttempt });
  return {
    async withLock(key, leaseMs, work) {
      assertText("the key of a lock", key);
      return lock.withLock(key, leaseMs, work);
    },
    async close() {
      const reason = new HostsideError("the shared state was closed", { code: "closed" });
      await Promise.all(Array.from(holds, (hold) => hold.end(reason)));
    },
  };
}

interface Holding {
  readonly key: string;
  readonly holds: Set<LeaseHold>;
}

/** One lock that somebody tries for, and has. */
class LeaseHold {
  readonly #init: LeaseLockInit;
  readonly #lease: LockLease;
  readonly #holding: Holding;
  #isOver = false;
  #sinceHeard: () => number = () => 0;
  #onLost: (reason: unknown) => void = () => {};
  #cancelNext: Cancel = () => {};
  #cancelEnd: Cancel = () => {};

  constructor(init: LeaseLockInit, lease: LockLease, holding: Holding) {
    this.#init = init;
    this.#lease = lease;
    this.#holding = holding;
  }

  async take(onLost: (reason: unknown) => void): Promise<LockHold | undefined> {
    const { engineClient, leases, clock } = this.#init;
    const { key } = this.#holding;
    this.#sinceHeard = startStopwatch(clock);
    const number = await engineClient.ask({
      what: `asking for the lock ${quoteText(key)}`,
      effect: "read",
      send: (signal) => leases.take(this.#lease, signal),
      // Who got a lock that they do not wait for any more gives it back.
      onLate: (late) => void (late === undefined || this.#giveBack()),
    });
    if (number === undefined) return undefined;
    this.#onLost = onLost;
    this.#holding.holds.add(this);
    this.#schedule();
    return {
      fencingToken: { key, number },
      isSure: () => this.#isSure,
      release: () => this.#release(),
    };
  }

  /** Takes it from whoever has it. */
  async end(reason: unknown): Promise<void> {
    this.#lose(reason);
    await this.#giveBack();
  }

  get #isSure(): boolean {
    return this.#sinceHeard() < this.#lease.ttlMs;
  }

  async #release(): Promise<void> {
    const wasOver = this.#isOver;
    this.#stop();
    if (!wasOver) await this.#giveBack();
  }

  /** One that cannot be given back ends by itself. */
  async #giveBack(): Promise<void> {
    const { engineClient, leases } = this.#init;
    const what = `giving back the lock ${quoteText(this.#holding.key)}`;
    await engineClient
      .ask({ what, effect: "write", insists: true, send: (signal) => leases.release(this.#lease, signal) })
      .catch(() => {});
  }

  async #prolong(): Promise<void> {
    const { engineClient, leases, clock } = this.#init;
    const since = startStopwatch(clock);
    const what = `prolonging the lock ${quoteText(this.#holding.key)}`;
    try {
      const isThere = await engineClient.ask({
        what,
        effect: "read",
        insists: true,
        send: (signal) => leases.renew(this.#lease, signal),
      });
      if (!isThere) return this.#lose(storeFailed("it is not there any more: it ended, or the engine lost its memory"));
      this.#sinceHeard = since;
    } catch (error) {
      // There is time for another try, as long as the lock would still be there.
      if (!this.#isSure) return this.#lose(error);
    }
    if (!this.#isOver) this.#schedule();
  }

  #schedule(): void {
    this.#cancelEnd();
    this.#cancelNext();
    const { ttlMs } = this.#lease;
    const { clock } = this.#init;
    this.#cancelNext = clock.schedule(ttlMs / 3, () => void this.#prolong());
    const late = (): void => this.#lose(storeFailed("the engine did not answer for as long as the lock was there"));
    this.#cancelEnd = clock.schedule(Math.max(0, ttlMs - this.#sinceHeard()), late);
  }

  #lose(reason: unknown): void {
    if (this.#isOver) return;
    this.#stop();
    this.#onLost(reason);
  }

  #stop(): void {
    this.#isOver = true;
    this.#holding.holds.delete(this);
    this.#cancelNext();
    this.#cancelEnd();
  }
}
