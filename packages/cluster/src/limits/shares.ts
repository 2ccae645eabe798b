import { isHostsideError, type HostsideError } from "@hostside/core";
import type { LimitLease, LimitRefusal, LimitWant } from "@hostside/policy";
import type { EngineClient, EngineRequest } from "../engine/engine-client.ts";
import { engineName, hashText } from "../engine/engine-name.ts";

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
