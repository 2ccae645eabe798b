import { isHostsideError, type HostsideError } from "@hostside/core";
import type { LimitLease, LimitRefusal, LimitWant, Spent } from "@hostside/policy";
import type { EngineClient, EngineRequest } from "../engine/engine-client.ts";
import { engineName, hashText } from "../engine/engine-name.ts";

/** One count in an engine. */
export interface Count {
  readonly name: string;
  /** How many tokens there are at once, or how many units. */
  readonly limit: number;
  /** Of a bucket of tokens: how long one more takes. Absent: it counts units. */
  readonly stepMs?: number | undefined;
  /** Of units: how long they count, from the first use on. Absent: for ever. */
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

/** Where all replicas count, by the clock of the engine; each in one step. */
export interface CountingEngine {
  /** Takes one. */
  take(count: Count, signal: AbortSignal): Promise<Taken | Full>;
  /** Undoes it, if it is still the same bucket or window. */
  giveBack(count: Count, since: string, signal: AbortSignal): Promise<unknown>;
  /** Whether units are used up; takes nothing. */
  look(count: Count, signal: AbortSignal): Promise<Full | undefined>;
  /** Counts units, also beyond the limit. */
  add(count: Count, units: number, signal: AbortSignal): Promise<unknown>;
}

/** Takes for calls of what all replicas share. */
export interface Shares {
  /** Of all that is wanted, or of nothing. Rejects with `store_failed`. */
  take(wants: readonly LimitWant[]): Promise<LimitLease | LimitRefusal>;
  /** For a call that is counted nowhere: only what it uses is. */
  free(wants?: readonly LimitWant[]): LimitLease;
  /** Counts what has waited for the engine. */
  flush(): void;
}

/** How large a budget may be, in units. */
const mostUnits = 1e15;
// Millionths where there is room for them, so that a budget that is changed goes on where it was.
const mostDigits = 6;
/**
 * How many counts are remembered while the engine is down. Beyond them, what was used longest ago
 * is not counted.
 */
const mostDebts = 10_000;
const amountNames = ["bytes", "timeMs", "cost"] as const;

interface Part {
  readonly refusal: Pick<LimitRefusal, "rule" | "part" | "limit">;
  /** How many units are one. */
  readonly scale: number;
  /** `undefined`: there is something left, and nothing was taken. */
  readonly take: (signal: AbortSignal) => Promise<Taken | Full | undefined>;
  readonly giveBack?: (taken: Taken, signal: AbortSignal) => Promise<unknown>;
}

interface Amount {
  readonly name: keyof Spent;
  readonly scale: number;
  readonly count: Promise<Count>;
}

/** Those of each want. */
type Amounts = readonly (readonly Amount[])[];

interface Parts {
  /** What is known of a call only afterwards. */
  readonly amountsOf: (want: LimitWant) => readonly Amount[];
  /** All that one limit takes of a call. */
  readonly partsOf: (want: LimitWant, amounts: readonly Amount[]) => readonly Part[];
}

interface PartsInit {
  readonly engine: CountingEngine;
  readonly usage: UsageCounter;
  readonly prefix: string;
}

function createParts({ engine, usage, prefix }: PartsInit): Parts {
  const countOf = async (kind: string, { rule, key }: LimitWant, rest: Omit<Count, "name">): Promise<Count> => {
    const hash = await hashText(JSON.stringify([rule.name, key]), "SHA-256");
    return { name: await engineName(prefix, "limit", `${kind}:${hash}`), ...rest };
  };
  const taking = (count: Promise<Count>): Pick<Part, "take" | "giveBack"> => ({
    take: async (signal) => engine.take(await count, signal),
    giveBack: async ({ since }, signal) => engine.giveBack(await count, since, signal),
  });
  const amountsOf = (want: LimitWant): readonly Amount[] =>
    amountNames.flatMap((name) => {
      const most = want.rule.budget?.[name];
      if (most === undefined) return [];
      const digits = Math.min(mostDigits, Math.floor(Math.log10(mostUnits / most)));
      const scale = 10 ** digits;
      const rest = { limit: unitsOf(most, scale), perMs: want.rule.budget?.perMs };
      // What is counted in other units is another count.
      return [{ name, scale, count: countOf(`${name}${digits}`, want, rest) }];
    });
  const partsOf = (want: LimitWant, amounts: readonly Amount[]): readonly Part[] => {
    const { rule } = want;
    const { rate, budget } = rule;
    const parts: Part[] = [];
    if (rate !== undefined) {
      const count = countOf("rate", want, { limit: rate.burst, stepMs: rate.perMs / rate.calls });
      parts.push({ refusal: { rule, part: "rate", limit: rate.burst }, scale: 1, ...taking(count) });
    }
    if (budget?.calls !== undefined) {
      const limit = Math.min(Math.ceil(budget.calls), mostUnits);
      const count = countOf("calls", want, { limit, perMs: budget.perMs });
      parts.push({ refusal: { rule, part: "calls", limit: budget.calls }, scale: 1, ...taking(count) });
    }
    for (const { name, scale, count } of amounts) {
      const refusal = { rule, part: name, limit: budget?.[name] ?? 0 };
      parts.push({ refusal, scale, take: async (signal) => usage.look(await count, signal) });
    }
    return parts;
  };
  return { amountsOf, partsOf };
}

interface Debt {
  readonly count: Count;
  units: number;
  sending: Promise<void> | undefined;
}

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
  // What cannot be given back stays taken: that is stricter.
  const giveAllBack = (taken: readonly TakenPart[]): Promise<unknown> =>
    Promise.all(
      taken.map(({ part, taken: one }) =>
        ask(async (signal) => part.giveBack?.(one, signal), { insists: true }).catch(() => {}),
      ),
    );
  const usage = createUsageCounter(engine, ask);
  const { amountsOf, partsOf } = createParts({ engine, usage, prefix });
  const spend = async (amounts: Amounts, spent: readonly Spent[]): Promise<void> => {
    for (const [index, ofWant] of amounts.entries()) {
      for (const { name, scale, count } of ofWant) usage.add(await count, unitsOf(spent[index]?.[name] ?? 0, scale));
    }
  };
  const leaseOf = (amounts: Amounts, taken: readonly TakenPart[]): LimitLease => {
    let isOpen = true;
    return {
      granted: true,
      waitedMs: 0,
      settle(spent) {
        if (!isOpen) return;
        isOpen = false;
        if (spent === undefined) void giveAllBack(taken.filter(({ part }) => part.refusal.part !== "rate"));
        else void spend(amounts, spent);
      },
    };
  };
  return {
    async take(wants) {
      const amounts = wants.map(amountsOf);
      const parts = wants.flatMap((want, index) => partsOf(want, amounts[index] ?? []));
      const onLate = ({ taken }: Takings): void => void giveAllBack(taken);
      const { taken, refusal } = await ask((signal) => takeAll(parts, signal), { onLate });
      if (refusal === undefined) return leaseOf(amounts, taken);
      await giveAllBack(taken);
      return refusal;
    },
    free: (wants = []) => leaseOf(wants.map(amountsOf), []),
    flush: () => usage.flush(),
  };
}

/** What calls have used, and the engine may not know of yet. */
interface UsageCounter {
  /** Counts it as soon as the engine can be reached. Never throws. */
  add(count: Count, units: number): void;
  /** Whether units are used up, with all that this process knows of. */
  look(count: Count, signal: AbortSignal): Promise<Full | undefined>;
  /** Counts what has waited for the engine. */
  flush(): void;
}

function createUsageCounter(engine: CountingEngine, ask: Ask): UsageCounter {
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
    add(count, units) {
      if (units === 0) return;
      const debt = debts.get(count.name) ?? { count, units: 0, sending: undefined };
      debt.units = Math.min(debt.units + units, count.limit);
      debts.set(count.name, debt);
      const [oldest] = debts.keys();
      if (debts.size > mostDebts && oldest !== undefined) debts.delete(oldest);
      // What cannot be counted goes with the next look or flush.
      sendAll(debt).catch(() => {});
    },
    async look(count, signal) {
      const debt = debts.get(count.name);
      // Whoever looks is asking already.
      if (debt !== undefined) await sendAll(debt, (add) => add(signal));
      return engine.look(count, signal);
    },
    flush() {
      for (const debt of debts.values()) sendAll(debt).catch(() => {});
    },
  };
}

type Ask = <T>(
  send: (signal: AbortSignal) => Promise<T>,
  more?: Pick<EngineRequest<T>, "insists" | "onLate">,
) => Promise<T>;

interface TakenPart {
  readonly part: Part;
  readonly taken: Taken;
}

interface Takings {
  readonly taken: readonly TakenPart[];
  /** Of what there is nothing left. */
  readonly refusal: LimitRefusal | undefined;
}

/** All at once, so that it costs the time of one. Rejects when the engine fails at any of them. */
async function takeAll(parts: readonly Part[], signal: AbortSignal): Promise<Takings> {
  const results = await Promise.allSettled(parts.map(async (part) => ({ part, answer: await part.take(signal) })));
  const answers = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = results.find((result) => result.status === "rejected");
  const taken = answers.flatMap(({ part, answer }) => (answer && "since" in answer ? [{ part, taken: answer }] : []));
  if (failed !== undefined) {
    await Promise.allSettled(taken.map(async ({ part, taken: one }) => part.giveBack?.(one, signal)));
    throw failed.reason;
  }
  const [refusal] = answers.flatMap(({ part, answer }) =>
    answer && "used" in answer ? [refusalBy(part, answer)] : [],
  );
  return { taken, refusal };
}

function refusalBy({ refusal, scale }: Part, { used, retryAfterMs }: Full): LimitRefusal {
  return { granted: false, ...refusal, used: Math.max(used / scale, refusal.limit), retryAfterMs, shared: false };
}

// Rounded up, but for what is no more than the error of a sum.
function unitsOf(amount: number, scale: number): number {
  return Math.max(0, Math.ceil(amount * scale - 1e-6));
}
