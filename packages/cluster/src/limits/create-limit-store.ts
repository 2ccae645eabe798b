import { isHostsideError, type HostsideError } from "@hostside/core";
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
import type { EngineClient, EngineRequest } from "../engine/engine-client.ts";
import { engineName, hashText } from "../engine/engine-name.ts";

/** Parts of {@linkcode createLimitStore}. */
export interface LimitStoreInit {
  readonly engine: CountingEngine;
  readonly client: EngineClient;
  readonly prefix: string;
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
 * gives back what it was refused with. `take` rejects with `store_failed` when the engine fails.
 */
export function createLimitStore(init: LimitStoreInit): LimitStore {
  const outages = createEvent<LimitStoreOutage>();
  let isDown = false;
  const takeShares = createShares(init, (error) => {
    if (isDown === (error !== undefined)) return;
    isDown = error !== undefined;
    outages.emit(error === undefined ? { state: "up" } : { state: "down", error });
  });
  const places = createMemoryLimitStore();
  const waitForRates = createRateQueue();

  const takeCounted = async (wants: Wants, signal: AbortSignal | undefined): Promise<Result> => {
    const taking = takeShares(wants);
    try {
      return await abortable(taking, signal);
    } catch (error) {
      taking.then(giveBack, () => {});
      throw error;
    }
  };
  const takeAll = async (wants: Wants, signal: AbortSignal | undefined): Promise<Result> => {
    const since = clock.now();
    const counted = await waitForRates(wants, signal, () => takeCounted(wants, signal));
    if (!counted.granted) return counted;
    const held = wants.filter(({ rule }) => rule.concurrency !== undefined);
    if (held.length === 0) return { ...counted, waitedMs: clock.now() - since };
    try {
      const parts = held.map(({ rule, key }) => ({ rule: { ...rule, rate: undefined, budget: undefined }, key }));
      const place = withRule(await places.take(parts, signal), wants);
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

/** Names the whole rule, where a part of it refused. */
function withRule(result: Result, wants: Wants): Result {
  if (result.granted) return result;
  const { name } = result.rule;
  return { ...result, rule: wants.find(({ rule }) => rule.name === name)?.rule ?? result.rule };
}

function together(first: LimitLease, second: LimitLease, waitedMs: number): LimitLease {
  return {
    granted: true,
    waitedMs,
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

/** One count in an engine. */
export interface Count {
  readonly name: string;
  /** How many tokens there are at once, or how many calls. */
  readonly limit: number;
  /** For a bucket of tokens: how long one more takes. Absent: it counts calls. */
  readonly stepMs?: number | undefined;
  /** For calls: how long they count, from the first one on. Absent: for ever. */
  readonly perMs?: number | undefined;
}

/** One was taken. */
export interface Taken {
  /** The bucket or window that it was taken of, to give it back to no other one. */
  readonly since: string;
}

/** There is nothing left. */
export interface Full {
  readonly used: number;
  /** `undefined`: never, or nobody knows. */
  readonly retryAfterMs: number | undefined;
}

/** Counts for all replicas, by the clock of the engine, each in one step. */
export interface CountingEngine {
  /** Takes one. */
  take(count: Count, signal: AbortSignal): Promise<Taken | Full>;
  /** Undoes it, if it is still the same bucket or window. */
  giveBack(count: Count, since: string, signal: AbortSignal): Promise<unknown>;
}

/** Takes of all that is wanted, or of nothing. Rejects with `store_failed`. */
export type TakeShares = (wants: readonly LimitWant[]) => Promise<LimitLease | LimitRefusal>;

/** How large a budget may be. */
const mostCalls = 1e15;

/** One count that a limit needs of a call. */
interface Part {
  readonly refusal: Pick<LimitRefusal, "rule" | "limit" | "part">;
  readonly count: Count;
}

type TakenPart = Part & Taken;

/**
 * Makes what takes for calls of what all replicas share. `onAnswer` hears of each failure, and of
 * each answer with `undefined`.
 */
export function createShares(
  init: { readonly engine: CountingEngine; readonly client: EngineClient; readonly prefix: string },
  onAnswer: (error: HostsideError | undefined) => void,
): TakeShares {
  const { engine, client, prefix } = init;
  const ask: Ask = async (send, more) => {
    try {
      const answer = await client.ask({ what: "counting a limit", effect: "read", send, ...more });
      onAnswer(undefined);
      return answer;
    } catch (error) {
      if (isHostsideError(error, "store_failed")) onAnswer(error);
      throw error;
    }
  };
  const giveBackOne = async ({ count, since }: TakenPart, signal: AbortSignal): Promise<unknown> =>
    engine.giveBack(count, since, signal);
  // What cannot be given back stays taken: that is stricter.
  const giveBack = (taken: readonly TakenPart[]): Promise<unknown> =>
    Promise.all(taken.map((one) => ask((signal) => giveBackOne(one, signal), { insists: true }).catch(() => {})));
  const takeOne = async (part: Part, signal: AbortSignal): Promise<TakenPart | LimitRefusal> => {
    const { count, refusal } = part;
    const answer = await engine.take(count, signal);
    if ("since" in answer) return { ...part, ...answer };
    const used = Math.max(answer.used, refusal.limit);
    return { granted: false, ...refusal, used, retryAfterMs: answer.retryAfterMs, shared: false };
  };
  // All at once, so that it costs the time of one. Rejects when the engine fails at any of them.
  const takeAll = async (parts: readonly Part[], signal: AbortSignal) => {
    const results = await Promise.allSettled(parts.map((part) => takeOne(part, signal)));
    const answers = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const failed = results.find((result) => result.status === "rejected");
    const taken = answers.filter((one) => "since" in one);
    if (failed === undefined) return { taken, refusal: answers.find((one) => "granted" in one) };
    await Promise.allSettled(taken.map((one) => giveBackOne(one, signal)));
    throw failed.reason;
  };
  const leaseOf = (taken: readonly TakenPart[]): LimitLease => {
    let isOpen = true;
    return {
      granted: true,
      waitedMs: 0,
      settle(wasSent) {
        if (!isOpen) return;
        isOpen = false;
        if (!wasSent) void giveBack(taken.filter(({ refusal }) => refusal.part !== "rate"));
      },
    };
  };
  return async (wants) => {
    const parts = partsOf(wants, prefix);
    const onLate = ({ taken }: { readonly taken: readonly TakenPart[] }): void => void giveBack(taken);
    const { taken, refusal } = await ask((signal) => takeAll(parts, signal), { onLate });
    if (refusal === undefined) return leaseOf(taken);
    await giveBack(taken);
    return refusal;
  };
}

function partsOf(wants: readonly LimitWant[], prefix: string): readonly Part[] {
  return wants.flatMap(({ rule, key }): readonly Part[] => {
    const { rate, budget } = rule;
    const hash = hashText(JSON.stringify([rule.name, key]));
    const nameOf = (kind: string): string => engineName(prefix, "limit", `${kind}:${hash}`);
    const ofRate = (given: NonNullable<typeof rate>): Part => {
      const count = { name: nameOf("rate"), limit: given.burst, stepMs: given.perMs / given.calls };
      return { refusal: { rule, part: "rate", limit: given.burst }, count };
    };
    const ofBudget = ({ calls, perMs }: NonNullable<typeof budget>): Part => {
      const count = { name: nameOf("calls"), limit: Math.min(Math.ceil(calls), mostCalls), perMs };
      return { refusal: { rule, part: "budget", limit: calls }, count };
    };
    return [...(rate === undefined ? [] : [ofRate(rate)]), ...(budget === undefined ? [] : [ofBudget(budget)])];
  });
}

type Ask = <T>(
  send: (signal: AbortSignal) => Promise<T>,
  more?: Pick<EngineRequest<T>, "insists" | "onLate">,
) => Promise<T>;
