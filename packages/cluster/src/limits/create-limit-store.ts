import { isHostsideError } from "@hostside/core";
import { clock, createEvent, pause, resultWithin, untilAborted } from "@hostside/core/implement";
import {
  createMemoryLimitStore,
  type LimitLease,
  type LimitRefusal,
  type LimitRule,
  type LimitStore,
  type LimitStoreOutage,
  type LimitWant,
} from "@hostside/policy";
import type { EngineClient } from "../engine/engine-client.ts";
import { createShares, type CountingEngine } from "./shares.ts";

export type { CountingEngine } from "./shares.ts";

/** Parts of {@linkcode createLimitStore}. */
export interface LimitStoreInit {
  readonly engine: CountingEngine;
  readonly client: EngineClient;
  readonly prefix: string;
  readonly limitFailure: "closed" | "local";
}

/** How many calls may wait together for a rate. */
const mostWaiting = 1000;

type Result = LimitLease | LimitRefusal;
type Wants = readonly LimitWant[];

interface Line {
  /** Settles when all that came before have left. */
  tail: Promise<unknown>;
  /** Why they wait. */
  refusal: LimitRefusal;
  size: number;
}

/**
 * Counts rates and budgets in an engine, for all replicas. A call may be refused while another one
 * gives back what it was refused with. `take` rejects with `store_failed` when the engine fails and
 * `limitFailure` is `"closed"`.
 */
export function createLimitStore(init: LimitStoreInit): LimitStore {
  const { limitFailure } = init;
  const outages = createEvent<LimitStoreOutage>();
  let isDown = false;
  const takeShares = createShares(init, (error) => {
    if (isDown === (error !== undefined)) return;
    isDown = error !== undefined;
    outages.emit(error === undefined ? { state: "up" } : { state: "down", error });
  });
  const places = createMemoryLimitStore();
  const alone = createMemoryLimitStore();
  const waitForRates = createRateQueue();

  const takeCounted = async (wants: Wants, signal: AbortSignal | undefined): Promise<Result> => {
    const taking = takeShares(wants);
    try {
      return await abortable(taking, signal);
    } catch (error) {
      taking.then(giveBack, () => {});
      if (signal?.aborted === true || limitFailure === "closed" || !isHostsideError(error)) throw error;
      // Counts in this process.
      const part = ({ name, rate, budget }: LimitRule): LimitRule => ({ name, rate, budget, waitMs: 0 });
      const counted = wants.filter(({ rule }) => isCounted(rule));
      const result = await alone.take(partOf(counted, part), signal);
      if (!result.granted) return withRule(result, wants);
      return { ...result, remark: `was counted in this process alone, because ${error.rawMessage}` };
    }
  };
  const takeAll = async (wants: Wants, signal: AbortSignal | undefined): Promise<Result> => {
    const since = clock.now();
    const counted = await waitForRates(wants, signal, () => takeCounted(wants, signal));
    if (!counted.granted) return counted;
    const held = wants.filter(({ rule }) => rule.concurrency !== undefined);
    if (held.length === 0) return { ...counted, waitedMs: clock.now() - since };
    try {
      const part = ({ name, concurrency, waitMs }: LimitRule): LimitRule => ({ name, concurrency, waitMs });
      const place = withRule(await places.take(partOf(held, part), signal), wants);
      if (place.granted) return together(place, counted, clock.now() - since);
      giveBack(counted);
      return place;
    } catch (error) {
      giveBack(counted);
      throw error;
    }
  };
  return {
    onOutage: outages.on,
    take: (wants, signal) =>
      wants.some(({ rule }) => isCounted(rule)) ? takeAll(wants, signal) : places.take(wants, signal),
  };
}

/** Makes a queue in which only the first call of each rate asks the engine. */
function createRateQueue() {
  const lines = new Map<string, Line>();
  let waiting = 0;
  /** Takes, and while a rate refuses waits in the order of arrival, as long as the rule allows. */
  return async (wants: Wants, signal: AbortSignal | undefined, take: () => Promise<Result>): Promise<Result> => {
    const since = clock.now();
    const isFinal = (result: Result): boolean => {
      if (result.granted || result.part !== "rate" || waiting > mostWaiting) return true;
      const { rule, retryAfterMs = 0 } = result;
      return clock.now() + Math.max(1, retryAfterMs) > since + rule.waitMs;
    };
    const waitIn = async (name: string, refusal: LimitRefusal): Promise<Result> => {
      const line = lines.get(name) ?? { tail: Promise.resolve(), refusal, size: 0 };
      lines.set(name, line);
      line.size += 1;
      waiting += 1;
      const before = line.tail.then(() => true);
      const turn = async (): Promise<Result> => {
        const leftMs = Math.max(0, since + refusal.rule.waitMs - clock.now());
        if ((await abortable(resultWithin(before, leftMs), signal)) !== true) return line.refusal;
        for (;;) {
          await pause(Math.max(1, line.refusal.retryAfterMs ?? 0), signal);
          signal?.throwIfAborted();
          const next = await take();
          if (next.granted || isFinal(next) || lineOfRefusal(next, wants) !== name) return next;
          line.refusal = next;
        }
      };
      const own = turn();
      line.tail = Promise.allSettled([before, own]);
      try {
        return await own;
      } finally {
        waiting -= 1;
        line.size -= 1;
        if (line.size === 0) lines.delete(name);
      }
    };
    // Earlier calls go first.
    const ahead = wants.map(({ rule, key }) => lines.get(lineOf(rule, key))).find((line) => line !== undefined);
    let result: Result = ahead?.refusal ?? (await take());
    while (!isFinal(result) && !result.granted) result = await waitIn(lineOfRefusal(result, wants), result);
    return result;
  };
}

function isCounted({ rate, budget }: LimitRule): boolean {
  return rate !== undefined || budget !== undefined;
}

function lineOf(rule: LimitRule, key: string | undefined): string {
  return JSON.stringify([rule.name, key]);
}

function lineOfRefusal({ rule }: LimitRefusal, wants: Wants): string {
  return lineOf(rule, wants.find((want) => want.rule.name === rule.name)?.key);
}

function partOf(wants: Wants, part: (rule: LimitRule) => LimitRule): Wants {
  return wants.map(({ rule, key }) => ({ rule: part(rule), key }));
}

/** Names the whole rule, where a part of it refused. */
function withRule(result: Result, wants: Wants): Result {
  if (result.granted) return result;
  const { name } = result.rule;
  return { ...result, rule: wants.find(({ rule }) => rule.name === name)?.rule ?? result.rule };
}

function together(first: LimitLease, second: LimitLease, waitedMs: number): LimitLease {
  const remark = first.remark ?? second.remark;
  return {
    granted: true,
    waitedMs,
    ...(remark !== undefined && { remark }),
    settle(wasSent) {
      first.settle(wasSent);
      second.settle(wasSent);
    },
  };
}

function giveBack(result: Result): void {
  if (result.granted) result.settle(false);
}

function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return signal === undefined ? work : untilAborted(work, signal);
}
