import { HostsideError, type Cancel, type Lock } from "@hostside/core";
import {
  clock,
  createPolledLock,
  quoteText,
  startStopwatch,
  storeFailed,
  systemRandom,
  type LockHold,
} from "@hostside/core/implement";
import type { EngineClient } from "./engine-client.ts";
import { assertText, engineName } from "./engine-name.ts";

/** Locks of an engine. */
export interface LeaseEngine {
  /** The fencing token's number; `undefined` when somebody else has it. */
  take(lease: LockLease, signal: AbortSignal): Promise<number | undefined>;
  /** Prolongs a lease that is still there to `ttlMs` from now, and tells if it is. */
  renew(lease: LockLease, signal: AbortSignal): Promise<boolean>;
  release(lease: LockLease, signal: AbortSignal): Promise<unknown>;
}

/** Somebody's claim to a lock. */
export interface LockLease {
  /** The name of the lock. */
  readonly name: string;
  /** The name of its counter of fencing tokens. */
  readonly fencingTokenName: string;
  /** A random text that no other holder has. */
  readonly holder: string;
  /** Whole milliseconds. */
  readonly ttlMs: number;
}

/** Parts of {@linkcode createLeaseLock}. */
export interface LeaseLockInit {
  readonly prefix: string;
  readonly maxWaitMs: number;
  readonly holderTimeoutMs: number;
  readonly leases: LeaseEngine;
  readonly client: EngineClient;
}

/** A lock that can be closed. */
export interface LeaseLock extends Lock {
  /** Takes all locks from those who have them. Resolves when the engine knows. */
  close(): Promise<void>;
}

type End = (reason: unknown) => Promise<void>;

/**
 * A lock that ends in the engine when nothing is heard of its holder, however long the lease: so
 * that the next one need not wait for the whole of a long one, and no connection is held.
 */
export function createLeaseLock(init: LeaseLockInit): LeaseLock {
  const { maxWaitMs } = init;
  const ends = new Set<End>();
  const lock = createPolledLock({
    random: systemRandom,
    maxWaitMs,
    startAttempt: (key, leaseMs) => ({ take: (onLost) => takeLease(init, { key, leaseMs, onLost, ends }) }),
  });
  return {
    async withLock(key, leaseMs, work) {
      assertText("the key of a lock", key);
      return lock.withLock(key, leaseMs, work);
    },
    async close() {
      const reason = new HostsideError("the shared state was closed", { code: "closed" });
      await Promise.all(Array.from(ends, (end) => end(reason)));
    },
  };
}

interface Taking {
  readonly key: string;
  readonly leaseMs: number;
  readonly onLost: (reason: unknown) => void;
  /** Functions that take each lock from its holder. */
  readonly ends: Set<End>;
}

async function takeLease(init: LeaseLockInit, { key, leaseMs, onLost, ends }: Taking): Promise<LockHold | undefined> {
  const { leases, client, prefix } = init;
  const ttlMs = Math.max(1, Math.ceil(Math.min(leaseMs, init.holderTimeoutMs)));
  const lease: LockLease = {
    name: engineName(prefix, "lock", key),
    fencingTokenName: engineName(prefix, "fencing-token", key),
    holder: crypto.randomUUID(),
    ttlMs,
  };
  const lockName = `the lock ${quoteText(key)}`;
  // One that cannot be given back ends by itself.
  const giveBack = (): Promise<unknown> => {
    const what = `giving back ${lockName}`;
    const send = (signal: AbortSignal): Promise<unknown> => leases.release(lease, signal);
    return client.ask({ what, effect: "write", insists: true, send }).catch(() => {});
  };
  let sinceHeard = startStopwatch();
  const number = await client.ask({
    what: `asking for ${lockName}`,
    effect: "read",
    send: (signal) => leases.take(lease, signal),
    onLate: (late) => void (late === undefined || giveBack()),
  });
  if (number === undefined) return undefined;

  let isOver = false;
  let cancels: readonly Cancel[] = [];
  const isSure = (): boolean => sinceHeard() < ttlMs;
  const stop = (): boolean => {
    const wasOver = isOver;
    isOver = true;
    ends.delete(end);
    for (const cancel of cancels) cancel();
    return !wasOver;
  };
  const lose = (reason: unknown): void => void (stop() && onLost(reason));
  const end: End = async (reason) => {
    lose(reason);
    await giveBack();
  };
  const renew = async (): Promise<void> => {
    const since = startStopwatch();
    const send = (signal: AbortSignal): Promise<boolean> => leases.renew(lease, signal);
    try {
      const isThere = await client.ask({ what: `prolonging ${lockName}`, effect: "read", insists: true, send });
      if (!isThere) return lose(storeFailed("it is not there any more: it ended, or the engine lost its memory"));
      sinceHeard = since;
    } catch (error) {
      // There is time for another try, as long as the lock would still be there.
      if (!isSure()) return lose(error);
    }
    if (!isOver) schedule();
  };
  const schedule = (): void => {
    for (const cancel of cancels) cancel();
    const late = (): void => lose(storeFailed("the engine did not answer for as long as the lock was there"));
    cancels = [clock.schedule(ttlMs / 3, () => void renew()), clock.schedule(Math.max(0, ttlMs - sinceHeard()), late)];
  };
  ends.add(end);
  schedule();
  return { fencingToken: { key, number }, isSure, release: async () => void (stop() && (await giveBack())) };
}
