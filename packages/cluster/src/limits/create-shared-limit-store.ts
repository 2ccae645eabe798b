import type { Clock } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import {
  createMemoryLimitStore,
  type LimitLease,
  type LimitRefusal,
  type LimitRule,
  type LimitStore,
  type LimitWant,
} from "@hostside/policy";
import { createUsageCounter } from "./usage-counter.ts";
import { createLimitEngineHealth } from "./limit-engine-health.ts";
import {
  readSharedLimitOptions,
  type CountingFailure,
  type ReadSharedLimitOptions,
  type SharedLimitOptions,
} from "./shared-limit-options.ts";
import { createShares, isCounted, type Holding, type Shares } from "./shares.ts";
import { createWaitQueues, type WaitQueues } from "./wait-queues.ts";

/** Counts limits where all replicas of a host do. */
export interface SharedLimitStore extends LimitStore {
  readonly onOutage: NonNullable<LimitStore["onOutage"]>;
}

/**
 * Counts rates and budgets in Redis or Postgres, by the limiters of `rate-limiter-flexible`, for
 * all replicas of a host that are given the same engine and prefix. How many calls are under way
 * together is counted in each process by itself.
 *
 * In Redis all limits hold exactly; in Postgres budgets do, and a rate lets through at most `burst`
 * calls more than it says in any stretch of time. A call may be refused while another one gives
 * back what it was refused with. Throws a `TypeError` that names the option that makes no sense.
 *
 * `take` rejects with `store_failed` when the engine fails, or has not answered within `timeoutMs`,
 * and `onFailure` is `"closed"`.
 */
export function createSharedLimitStore(options: SharedLimitOptions): SharedLimitStore {
  return countOver(readSharedLimitOptions(options));
}

/** The same over any engine. */
export function countOver({
  engine,
  timeoutMs,
  onFailure,
  maxWaiting,
  clock,
}: ReadSharedLimitOptions): SharedLimitStore {
  const watch = createLimitEngineHealth({ name: engine.name, timeoutMs, clock });
  const amounts = createUsageCounter(engine, watch);
  watch.onOutage(({ state }) => {
    if (state === "up") amounts.flush();
  });
  const shares = createShares({ engine, amounts, watch });
  const lines = createWaitQueues(clock);
  const places = createMemoryLimitStore({ clock });
  const alone = createMemoryLimitStore({ clock });
  const parts: TakingParts = { shares, lines, places, alone, onFailure, clock, maxWaiting };
  return {
    onOutage: watch.onOutage,
    takeAtOnce(wants) {
      if (wants.some(({ rule }) => isCounted(rule) || rule.waitMs > 0)) return undefined;
      return takePlaces(wants, parts);
    },
    take: (wants, signal) => takeInTurn(wants, signal, parts),
  };
}

interface TakingParts {
  readonly shares: Shares;
  readonly lines: WaitQueues;
  /** For calls under way. */
  readonly places: LimitStore;
  /** For the rest, while the engine is down. */
  readonly alone: LimitStore;
  readonly onFailure: CountingFailure;
  readonly clock: Clock;
  readonly maxWaiting: number;
}

type Result = LimitLease | LimitRefusal;
type Wants = readonly LimitWant[];

async function takeInTurn(wants: Wants, signal: AbortSignal | undefined, parts: TakingParts): Promise<Result> {
  const { lines, clock } = parts;
  const since = clock.now();
  const take = (): Promise<Result> => takeUnlessAborted(wants, signal, parts);
  // Whoever came before goes first.
  const ahead = wants.flatMap((want) => linesOf(want)).find((line) => lines.refusalOf(line) !== undefined);
  let result = (ahead === undefined ? undefined : lines.refusalOf(ahead)) ?? (await take());
  while (!result.granted) {
    const endsAt = since + result.rule.waitMs;
    if (lines.size >= parts.maxWaiting || isInVain(result, endsAt, clock.now())) return result;
    result = await waitInLine(result, take, { wants, signal, endsAt, parts });
  }
  return { ...result, waitedMs: clock.now() - since };
}

interface Waiting {
  readonly wants: Wants;
  readonly signal: AbortSignal | undefined;
  readonly endsAt: number;
  readonly parts: TakingParts;
}

/**
 * What came of it: a lease, a refusal by something else, or one that there is no time left to wait
 * out.
 */
async function waitInLine(
  refusal: LimitRefusal,
  take: () => Promise<Result>,
  { wants, signal, endsAt, parts: { lines, clock } }: Waiting,
): Promise<Result> {
  const line = lineOfRefusal(refusal, wants);
  const place = lines.join(line, refusal);
  try {
    for (;;) {
      if ((await place.turn(endsAt, signal)) === "over") return lines.refusalOf(line) ?? refusal;
      const result = await take();
      if (result.granted || lineOfRefusal(result, wants) !== line || isInVain(result, endsAt, clock.now()))
        return result;
      lines.refuse(line, result);
    }
  } finally {
    place.leave();
  }
}

/** A line for what can be waited for of each limit and each of its keys. */
function linesOf({ rule, key }: LimitWant): readonly string[] {
  return ["rate", "concurrency"].map((part) => JSON.stringify([rule.name, key, part]));
}

function lineOfRefusal({ rule, part }: LimitRefusal, wants: Wants): string {
  return JSON.stringify([rule.name, wants.find((want) => want.rule.name === rule.name)?.key, part]);
}

function isInVain({ part, retryAfterMs = 0 }: LimitRefusal, endsAt: number, now: number): boolean {
  if (part !== "rate" && part !== "concurrency") return true;
  return now >= endsAt || now + retryAfterMs > endsAt;
}

async function takeUnlessAborted(wants: Wants, signal: AbortSignal | undefined, parts: TakingParts): Promise<Result> {
  const taking = tryTake(wants, parts);
  if (signal === undefined) return taking;
  try {
    return await untilAborted(taking, signal);
  } catch (error) {
    void giveUp(taking);
    throw error;
  }
}

async function giveUp(taking: Promise<Result>): Promise<void> {
  try {
    const late = await taking;
    if (late.granted) late.settle(undefined);
  } catch {
    // There is nothing to give back.
  }
}

async function tryTake(wants: Wants, parts: TakingParts): Promise<Result> {
  const place = takePlaces(wants, parts);
  if (!place.granted) return place;
  try {
    const result = await takeShares(wants, parts);
    if (result.granted) return together(place, result);
    place.settle(undefined);
    return result;
  } catch (error) {
    place.settle(undefined);
    throw error;
  }
}

/** Of what is counted in this process, wherever the rest is. */
function takePlaces(wants: Wants, { places, lines }: TakingParts): Result {
  const held = wants.filter(({ rule }) => rule.concurrency !== undefined);
  const result = takeNow(places, held, ({ name, concurrency }) => ({ name, concurrency, waitMs: 0 }));
  if (!result.granted || held.length === 0) return result;
  return {
    ...result,
    settle(spent) {
      result.settle(spent);
      for (const { rule, key } of held) lines.wake(JSON.stringify([rule.name, key, "concurrency"]));
    },
  };
}

async function takeShares(wants: Wants, { shares, alone, onFailure }: TakingParts): Promise<Result> {
  const counted = wants.filter(({ rule }) => isCounted(rule));
  if (counted.length === 0) return leaseOf(shares.none());
  const asked = await shares.take(wants);
  if (!("failed" in asked)) return "granted" in asked.answer ? asked.answer : leaseOf(asked.answer);
  const { failed } = asked;
  if (onFailure === "closed") throw failed;
  // What it uses is counted when the engine is back.
  const uncounted = leaseOf(shares.none(wants));
  const because = `because ${failed.rawMessage}`;
  if (onFailure === "open") return { ...uncounted, remark: `was let through and counted nowhere, ${because}` };
  const result = takeNow(alone, counted, ({ name, rate, budget }) => ({ name, rate, budget, waitMs: 0 }));
  if (!result.granted) return result;
  return { ...together(uncounted, result), remark: `was counted in this process alone, ${because}` };
}

/** Takes from a store in memory, by a part of each rule, and without waiting. */
function takeNow(store: LimitStore, wants: Wants, partOf: (rule: LimitRule) => LimitRule): Result {
  const result = store.takeAtOnce?.(wants.map(({ rule, key }) => ({ rule: partOf(rule), key })));
  if (result === undefined) throw new TypeError("a limit that nobody waits for is settled at once");
  if (result.granted) return result;
  const { name } = result.rule;
  return { ...result, rule: wants.find(({ rule }) => rule.name === name)?.rule ?? result.rule };
}

function leaseOf(holding: Holding): LimitLease {
  let isOpen = true;
  return {
    granted: true,
    waitedMs: 0,
    settle(spent) {
      if (!isOpen) return;
      isOpen = false;
      if (spent === undefined) holding.giveBack();
      else holding.spend(spent);
    },
  };
}

function together(first: LimitLease, second: LimitLease): LimitLease {
  return {
    ...first,
    ...second,
    settle(spent) {
      first.settle(spent);
      second.settle(spent);
    },
  };
}
