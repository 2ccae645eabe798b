import { isHostsideError, type HostsideError } from "@hostside/core";
import type { LimitLease, LimitRefusal, LimitWant, Spent } from "@hostside/policy";
import type { EngineClient, EngineRequest } from "../engine/engine-client.ts";
import { engineName, hashText } from "../engine/engine-name.ts";

/** One count in an engine. */
export interface Count {
  readonly name: string;
  /** How many tokens there are at once, or how many units. */
  readonly limit: number;
  /** For a bucket of tokens: how long one more takes. Absent: it counts units. */
  readonly stepMs?: number | undefined;
  /** For units: how long they count, from the first use on. Absent: for ever. */
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
  /** Tells if units are used up; takes nothing. */
  look(count: Count, signal: AbortSignal): Promise<Full | undefined>;
  /** Counts units, also beyond the limit. */
  add(count: Count, units: number, signal: AbortSignal): Promise<unknown>;
}

/** Takes for calls of what all replicas share. */
export interface Shares {
  /** Takes of all that is wanted, or of nothing. Rejects with `store_failed`. */
  take(wants: readonly LimitWant[]): Promise<LimitLease | LimitRefusal>;
  /** For a call that is counted nowhere: only what it uses is. */
  free(wants?: readonly LimitWant[]): LimitLease;
  /** Counts what has waited for the engine. */
  flush(): void;
}

/** How large a budget may be, in units. */
const mostUnits = 1e15;
/**
 * How many counts are remembered while the engine is down. Beyond them, what was used longest ago
 * is not counted.
 */
const mostDebts = 10_000;
/** How many units are one. */
const scales = { rate: 1, calls: 1, bytes: 1, timeMs: 1000 } as const;
const spendings = ["calls", "bytes", "timeMs"] as const;

/** One count that a limit needs of a call. */
interface Part {
  readonly refusal: Pick<LimitRefusal, "rule" | "limit"> & { readonly part: "rate" | "calls" | keyof Spent };
  readonly count: Count;
}

type TakenPart = Part & Taken;

/** Makes them. `onAnswer` hears of each failure, and of each answer with `undefined`. */
export function createShares(
  init: { readonly engine: CountingEngine; readonly client: EngineClient; readonly prefix: string },
  onAnswer: (error: HostsideError | undefined) => void,
): Shares {
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
  const usage = createUsageCounter(engine, ask);
  const giveBackOne = async ({ count, since }: TakenPart, signal: AbortSignal): Promise<unknown> =>
    engine.giveBack(count, since, signal);
  // What cannot be given back stays taken: that is stricter.
  const giveBack = (taken: readonly TakenPart[]): Promise<unknown> =>
    Promise.all(taken.map((one) => ask((signal) => giveBackOne(one, signal), { insists: true }).catch(() => {})));
  const takeOne = async (part: Part, signal: AbortSignal): Promise<TakenPart | LimitRefusal | undefined> => {
    const { count, refusal } = part;
    const answer = await (isAmount(part) ? usage.look(count, signal) : engine.take(count, signal));
    if (answer === undefined) return undefined;
    if ("since" in answer) return { ...part, ...answer };
    const used = Math.max(answer.used / scales[refusal.part], refusal.limit);
    return { granted: false, ...refusal, used, retryAfterMs: answer.retryAfterMs, shared: false };
  };
  // All at once, so that it costs the time of one. Rejects when the engine fails at any of them.
  const takeAll = async (parts: readonly Part[], signal: AbortSignal) => {
    const results = await Promise.allSettled(parts.map((part) => takeOne(part, signal)));
    const answers = results.flatMap((result) => (result.status === "fulfilled" ? (result.value ?? []) : []));
    const failed = results.find((result) => result.status === "rejected");
    const taken = answers.filter((one) => "since" in one);
    if (failed === undefined) return { taken, refusal: answers.find((one) => "granted" in one) };
    await Promise.allSettled(taken.map((one) => giveBackOne(one, signal)));
    throw failed.reason;
  };
  const spend = (parts: readonly Part[], spent: Spent): void => {
    for (const { refusal, count } of parts) {
      const { part } = refusal;
      if (part !== "rate" && part !== "calls") usage.add(count, unitsOf(spent[part], part));
    }
  };
  const leaseOf = (parts: readonly Part[], taken: readonly TakenPart[]): LimitLease => {
    let isOpen = true;
    return {
      granted: true,
      waitedMs: 0,
      settle(spent) {
        if (!isOpen) return;
        isOpen = false;
        if (spent === undefined) void giveBack(taken.filter(({ refusal }) => refusal.part !== "rate"));
        else spend(parts, spent);
      },
    };
  };
  return {
    async take(wants) {
      const parts = partsOf(wants, prefix);
      const onLate = ({ taken }: { readonly taken: readonly TakenPart[] }): void => void giveBack(taken);
      const { taken, refusal } = await ask((signal) => takeAll(parts, signal), { onLate });
      if (refusal === undefined) return leaseOf(parts, taken);
      await giveBack(taken);
      return refusal;
    },
    free: (wants = []) => leaseOf(partsOf(wants, prefix), []),
    flush: () => usage.flush(),
  };
}

/** Tells if it counts an amount that is known only after the call. */
function isAmount({ refusal: { part } }: Part): boolean {
  return part !== "rate" && part !== "calls";
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
    const ofBudget = spendings.flatMap((part): readonly Part[] => {
      const limit = budget?.[part];
      if (limit === undefined) return [];
      const count = { name: nameOf(part), limit: Math.min(unitsOf(limit, part), mostUnits), perMs: budget?.perMs };
      return [{ refusal: { rule, part, limit }, count }];
    });
    return [...(rate === undefined ? [] : [ofRate(rate)]), ...ofBudget];
  });
}

interface Debt {
  readonly count: Count;
  units: number;
  sending: Promise<void> | undefined;
}

/** Counts what calls have used, and what the engine may not know of yet. */
function createUsageCounter(engine: CountingEngine, ask: Ask) {
  const debts = new Map<string, Debt>();
  const send = async (debt: Debt, via: Ask): Promise<void> => {
    const { count, units } = debt;
    debt.units = 0;
    try {
      await via((signal) => engine.add(count, units, signal));
    } catch (error) {
      // One whose answer was lost is counted twice: never too little.
      debt.units += units;
      throw error;
    } finally {
      debt.sending = undefined;
      if (debt.units === 0) debts.delete(count.name);
    }
  };
  const sendAll = async (debt: Debt, via: Ask = ask): Promise<void> => {
    // What came while the last of it was sent goes afterwards.
    while (debt.units > 0 || debt.sending !== undefined) await (debt.sending ??= send(debt, via));
  };
  return {
    /** Counts it as soon as the engine can be reached. Never throws. */
    add(count: Count, units: number): void {
      if (units === 0) return;
      const debt = debts.get(count.name) ?? { count, units: 0, sending: undefined };
      debt.units = Math.min(debt.units + units, count.limit);
      debts.set(count.name, debt);
      const [oldest] = debts.keys();
      if (debts.size > mostDebts && oldest !== undefined) debts.delete(oldest);
      // What cannot be counted goes with the next look or flush.
      sendAll(debt).catch(() => {});
    },
    /** Tells if units are used up, with all that this process knows of. */
    async look(count: Count, signal: AbortSignal): Promise<Full | undefined> {
      const debt = debts.get(count.name);
      // Whoever looks is asking already.
      if (debt !== undefined) await sendAll(debt, (add) => add(signal));
      return engine.look(count, signal);
    },
    /** Counts what has waited for the engine. */
    flush(): void {
      for (const debt of debts.values()) sendAll(debt).catch(() => {});
    },
  };
}

type Ask = <T>(
  send: (signal: AbortSignal) => Promise<T>,
  more?: Pick<EngineRequest<T>, "insists" | "onLate">,
) => Promise<T>;

// Rounded up, but for what is no more than the error of a sum.
function unitsOf(amount: number, part: keyof typeof scales): number {
  return Math.max(0, Math.ceil(amount * scales[part] - 1e-6));
}
