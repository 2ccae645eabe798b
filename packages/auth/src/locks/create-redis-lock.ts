import type { Cancel, Clock, Lock, Random } from "@toolport/core";
import { assertKnownOptions, systemClock, systemRandom, type Fields } from "@toolport/core/implement";
import { doStep, storeFailed, type StepLimit } from "../store/store-failed.ts";
import { createPolledLock, type Hold } from "./create-polled-lock.ts";
import { startStopwatch } from "./start-stopwatch.ts";

/** A connected client of Redis or Valkey, as far as a lock needs it: one of `@redis/client` (`redis`), or one of `ioredis`. */
export type RedisLockClient =
  | { sendCommand(command: readonly string[]): Promise<unknown> }
  | { call(command: string, ...rest: string[]): Promise<unknown> };

/** Options of {@linkcode createRedisLock}. */
export interface RedisLockOptions {
  /** In front of the name of every lock. Default `"toolport:"`. */
  readonly prefix?: string | undefined;
  /** How long anybody waits for a turn, in milliseconds; then they are refused with `overloaded`. Default 60,000. */
  readonly maxWaitMs?: number | undefined;
  /** How long one request to Redis may take, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
  /** For the waits between two tries. Default the runtime's. */
  readonly random?: Random | undefined;
}

const optionFields: Fields<RedisLockOptions> = {
  prefix: true,
  maxWaitMs: true,
  timeoutMs: true,
  clock: true,
  random: true,
};

/** Who dies while they have a lock hold it up for so long, and no longer. */
const longestSilenceMs = 10_000;

// Only who has the lock may prolong it or give it back: after a lease somebody else may have it.
const extendScript =
  'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end';
const releaseScript =
  'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end';

/**
 * A lock among all that share a Redis: one node, or a primary whose replicas are not written to. A failover to a replica that has not heard of a
 * lock yet can give it to two; what must never happen twice needs Postgres, or a Redis that waits for its replicas.
 *
 * Rejects with `store_failed` when Redis does not answer. Throws a `TypeError` for a client without `sendCommand()` or `call()`, and for options that
 * are wrong.
 */
export function createRedisLock(client: RedisLockClient, options: RedisLockOptions = {}): Lock {
  const owner = "createRedisLock()";
  assertKnownOptions(owner, options, optionFields);
  const { prefix = "toolport:", maxWaitMs = 60_000, timeoutMs = 5000 } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const send = createSender(owner, client);
  const limit: StepLimit = { clock, timeoutMs };
  return createPolledLock({
    clock,
    random,
    maxWaitMs,
    startAttempt: (key, leaseMs) => {
      const owned: OwnedKey = {
        name: `${prefix}${key}`,
        token: crypto.randomUUID(),
        ttlMs: ttlOf(leaseMs),
        send,
        limit,
      };
      return { take: (onLost) => take(owned, onLost) };
    },
  });
}

type Send = (command: readonly [string, ...string[]]) => Promise<unknown>;

interface OwnedKey {
  readonly name: string;
  readonly token: string;
  readonly ttlMs: number;
  readonly send: Send;
  readonly limit: StepLimit;
}

function ttlOf(leaseMs: number): number {
  return Math.max(1, Math.ceil(Math.min(leaseMs, longestSilenceMs)));
}

async function take(owned: OwnedKey, onLost: (reason: unknown) => void): Promise<Hold | undefined> {
  const { name, token, ttlMs, send, limit } = owned;
  const sinceAsked = startStopwatch(limit.clock);
  const asked = send(["SET", name, token, "NX", "PX", String(ttlMs)]);
  try {
    const answer = await doStep("the lock in Redis", limit, () => asked);
    if (answer === null) return undefined;
  } catch (error) {
    // It may have been done, or be done when Redis is back. Who got a lock that they do not wait for any more gives it back.
    void asked.then(
      () => release(owned),
      () => undefined,
    );
    throw error;
  }
  return keepUp(owned, sinceAsked, onLost);
}

async function release({ name, token, send, limit }: OwnedKey): Promise<void> {
  // A lock that cannot be given back ends by itself.
  await doStep("the lock in Redis", limit, () => send(["EVAL", releaseScript, "1", name, token])).catch(() => {});
}

/** Prolongs a lock until it is given back, or lost. */
function keepUp(owned: OwnedKey, sinceAsked: () => number, onLost: (reason: unknown) => void): Hold {
  const { name, token, ttlMs, send, limit } = owned;
  const { clock } = limit;
  let isOver = false;
  let sinceHeard = sinceAsked;
  let cancelNext: Cancel = () => {};
  let cancelEnd: Cancel = () => {};
  const isSure = (): boolean => sinceHeard() < ttlMs;
  const lose = (reason: unknown): void => {
    if (isOver) return;
    stop();
    onLost(reason);
  };
  const prolong = async (): Promise<void> => {
    const since = startStopwatch(clock);
    try {
      const answer = await doStep("the lock in Redis", limit, () =>
        send(["EVAL", extendScript, "1", name, token, String(ttlMs)]),
      );
      if (Number(answer) !== 1)
        return lose(storeFailed("Redis has the lock no more: it was restarted, or was too slow"));
      sinceHeard = since;
    } catch (error) {
      // There is time for another try, as long as the lock would still be there.
      if (!isSure()) return lose(error);
    }
    if (!isOver) schedule();
  };
  const schedule = (): void => {
    cancelEnd();
    cancelNext();
    cancelNext = clock.schedule(ttlMs / 3, () => void prolong());
    const late = (): void => lose(storeFailed("Redis did not answer for as long as the lock was there"));
    cancelEnd = clock.schedule(Math.max(0, ttlMs - sinceHeard()), late);
  };
  const stop = (): void => {
    isOver = true;
    cancelNext();
    cancelEnd();
  };
  schedule();
  return {
    isSure,
    async release() {
      stop();
      await release(owned);
    },
  };
}

function createSender(owner: string, client: RedisLockClient): Send {
  // ioredis has a `sendCommand`, too, which takes something else.
  if ("call" in client && typeof client.call === "function") return (command) => client.call(...command);
  if ("sendCommand" in client && typeof client.sendCommand === "function")
    return (command) => client.sendCommand(command);
  throw new TypeError(`${owner}: the client must be one of @redis/client or ioredis`);
}
