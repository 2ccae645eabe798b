import { hashJson } from "@hostside/naming";
import { LRUCache } from "lru-cache";
import type { LimitRefusal, LimitRule, LimitWant, Spent } from "@hostside/policy";
import type { UsageCounter } from "./usage-counter.ts";
import type { CountingEngine, Full, Taken, TokenRate, UnitBudget } from "./counting-engine.ts";
import type { EngineAnswer, LimitEngineHealth } from "./limit-engine-health.ts";

/** What one call has of the limits that are shared. */
export interface Holding {
  /** It never left the host: budgets get it back. Never throws. */
  giveBack(): void;
  /** What it used, in the order of its wants. Never throws. */
  spend(spent: readonly Spent[]): void;
}

/** Takes for calls of what all replicas share. */
export interface Shares {
  /** Of all that is wanted, or of nothing. */
  take(wants: readonly LimitWant[]): Promise<EngineAnswer<Holding | LimitRefusal>>;
  /** For a call that is counted nowhere: only what it uses is. */
  none(wants?: readonly LimitWant[]): Holding;
}

/** What shares are made from. */
export interface SharesInit {
  readonly engine: CountingEngine;
  readonly amounts: UsageCounter;
  readonly watch: Pick<LimitEngineHealth, "ask">;
}

/** Whether anything of a limit is shared. */
export function isCounted({ rate, budget }: LimitRule): boolean {
  return rate !== undefined || budget !== undefined;
}

/** Makes them. */
export function createShares({ engine, amounts, watch }: SharesInit): Shares {
  const keyOf = createKeys();
  const rateOf = ({ rule, key }: LimitWant, rate: TokenRate): Part => ({
    refusal: { rule, part: "rate", limit: rate.burst },
    scale: 1,
    take: () => engine.takeToken(rate, keyOf("rate", rule, key)),
  });
  const callsOf = ({ rule, key }: LimitWant, calls: number): Part => {
    const budget = { limit: Math.min(Math.ceil(calls), engine.mostUnits), perMs: rule.budget?.perMs };
    return {
      refusal: { rule, part: "calls", limit: calls },
      scale: 1,
      take: () => engine.takeUnit(budget, keyOf("calls", rule, key)),
      isBudget: true,
    };
  };
  const amountsOf = (want: LimitWant): readonly AmountPart[] =>
    amountNames.flatMap((name) => {
      const limit = want.rule.budget?.[name];
      return limit === undefined ? [] : [amountOf(want, name, limit)];
    });
  const amountOf = ({ rule, key }: LimitWant, name: keyof Spent, most: number): AmountPart => {
    const digits = digitsOf(most, engine.mostUnits);
    const scale = 10 ** digits;
    const limit = unitsOf(most, scale);
    const budget: UnitBudget = { limit, perMs: rule.budget?.perMs };
    // What is counted in other units is another count.
    const kept = keyOf(`${name}${digits}`, rule, key);
    return {
      refusal: { rule, part: name, limit: most },
      scale,
      take: () => amounts.look(budget, kept),
      spend(spent) {
        const units = Math.min(unitsOf(spent[name], scale), limit);
        if (units > 0) amounts.add(budget, kept, units);
      },
    };
  };
  const partsOf = (want: LimitWant): readonly Part[] => {
    const { rate, budget } = want.rule;
    return [
      ...(rate === undefined ? [] : [rateOf(want, { burst: rate.burst, stepMs: rate.perMs / rate.calls })]),
      ...(budget?.calls === undefined ? [] : [callsOf(want, budget.calls)]),
      ...amountsOf(want),
    ];
  };
  const holdingOf = (wants: readonly LimitWant[], taken: readonly TakenPart[]): Holding => ({
    giveBack: () => void watch.ask(() => giveAllBack(taken.filter(({ part }) => part.isBudget === true))),
    spend(spent) {
      for (const [index, want] of wants.entries()) {
        const used = spent[index];
        if (used !== undefined) for (const part of amountsOf(want)) part.spend(used);
      }
    },
  });
  return {
    async take(wants) {
      const asked = await watch.ask(
        () => takeAll(wants.flatMap(partsOf)),
        (late) => void ("taken" in late && giveAllBack(late.taken)),
      );
      if ("failed" in asked) return asked;
      return { answer: "taken" in asked.answer ? holdingOf(wants, asked.answer.taken) : asked.answer };
    },
    none: (wants = []) => holdingOf(wants, []),
  };
}

interface Part {
  readonly refusal: Pick<LimitRefusal, "rule" | "part" | "limit">;
  /** How many units are one. */
  readonly scale: number;
  /** `undefined`: there is something left, and nothing was taken. */
  readonly take: () => Promise<Taken | Full | undefined>;
  /** Whether it is given back by a call that never left the host. */
  readonly isBudget?: true;
}

interface AmountPart extends Part {
  spend(spent: Spent): void;
}

interface TakenPart {
  readonly part: Part;
  readonly taken: Taken;
}

const amountNames = ["bytes", "timeMs", "cost"] as const;

/** All at once, so that it costs the time of one. */
async function takeAll(parts: readonly Part[]): Promise<{ readonly taken: readonly TakenPart[] } | LimitRefusal> {
  const results = await Promise.allSettled(parts.map((part) => part.take()));
  const answers = results.flatMap((result, index) => {
    const part = parts[index];
    return result.status === "fulfilled" && part !== undefined ? [{ part, answer: result.value }] : [];
  });
  const taken = answers.flatMap(({ part, answer }) => (answer?.full === false ? [{ part, taken: answer }] : []));
  const failed = results.find((result) => result.status === "rejected");
  const full = answers.flatMap(({ part, answer }) => (answer?.full === true ? [refusalBy(part, answer)] : []));
  const [refusal] = full;
  if (failed === undefined && refusal === undefined) return { taken };
  await giveAllBack(taken);
  if (failed !== undefined) throw failed.reason;
  return refusal as LimitRefusal;
}

/** What cannot be given back stays taken: that is stricter. */
async function giveAllBack(all: readonly TakenPart[]): Promise<void> {
  await Promise.allSettled(all.map(({ taken }) => taken.giveBack()));
}

function refusalBy({ refusal, scale }: Part, { used, retryAfterMs }: Full): LimitRefusal {
  return { granted: false, ...refusal, used: Math.max(used / scale, refusal.limit), retryAfterMs, shared: false };
}

// Millionths where there is room for them, so that a budget that is changed goes on where it was.
const mostDigits = 6;

function digitsOf(limit: number, mostUnits: number): number {
  return Math.min(mostDigits, Math.floor(Math.log10(mostUnits / limit)));
}

// Rounded up, but for what is no more than the error of a sum.
function unitsOf(amount: number, scale: number): number {
  return Math.max(0, Math.ceil(amount * scale - 1e-6));
}

const version = 1;
const keptKeys = 10_000;

/**
 * Under which key something is counted: a hash, because names and keys of limits are as long as a
 * product likes, and a principal is nobody's business.
 */
function createKeys(): (kind: string, rule: LimitRule, key: string) => string {
  const hashes = new LRUCache<string, string>({ max: keptKeys });
  return (kind, { name }, key) => {
    const text = `${name.length}:${name}${key}`;
    const hash = hashes.get(text) ?? hashJson([name, key]);
    hashes.set(text, hash);
    return `v${version}:${kind}:${hash}`;
  };
}
