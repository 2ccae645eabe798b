import type { CountingEngine, Full, UnitBudget } from "./counting-engine.ts";
import type { LimitEngineHealth } from "./limit-engine-health.ts";

/** What calls have used, and the engine may not know of yet. */
export interface UsageCounter {
  /**
   * Counts it as soon as the engine can be reached; what could not be counted goes with the next of
   * the same key. Never throws.
   */
  add(budget: UnitBudget, key: string, units: number): void;
  /**
   * Whether a budget is used up, with all that this process knows of. Rejects when the engine
   * fails.
   */
  look(budget: UnitBudget, key: string): Promise<Full | undefined>;
  /** Counts what has waited for the engine. */
  flush(): void;
}

interface Debt {
  readonly budget: UnitBudget;
  units: number;
  sending: Promise<void> | undefined;
}

/**
 * How many keys are remembered while the engine is down. Beyond them, what was used longest ago is
 * not counted.
 */
const mostDebts = 10_000;

type Sending = (work: () => Promise<void>) => Promise<void>;

// Whoever looks has asked the watch already.
const direct: Sending = (work) => work();

/** Makes an empty account. */
export function createUsageCounter(engine: CountingEngine, watch: Pick<LimitEngineHealth, "ask">): UsageCounter {
  const debts = new Map<string, Debt>();

  const send = async (key: string, debt: Debt, work: Sending): Promise<void> => {
    const { budget, units } = debt;
    debt.units = 0;
    try {
      await work(() => engine.add(budget, key, units));
    } catch (error) {
      // One whose answer was lost is counted twice: never too little.
      debt.units += units;
      throw error;
    } finally {
      debt.sending = undefined;
      if (debt.units === 0) debts.delete(key);
    }
  };
  const begin = (key: string, debt: Debt, work: Sending): Promise<void> => {
    debt.sending ??= send(key, debt, work);
    return debt.sending;
  };
  const inBackground: Sending = async (work) => {
    const asked = await watch.ask(work);
    if ("failed" in asked) throw asked.failed;
  };
  const beginSoon = async (key: string, debt: Debt): Promise<void> => {
    try {
      // What came while the last of it was sent goes afterwards.
      while (debt.units > 0) await begin(key, debt, inBackground);
    } catch {
      // The watch has told, and it goes with the next look or flush.
    }
  };
  return {
    add(budget, key, units) {
      const debt = debts.get(key) ?? { budget, units: 0, sending: undefined };
      debt.units = Math.min(debt.units + units, budget.limit);
      debts.set(key, debt);
      const [oldest] = debts.keys();
      if (debts.size > mostDebts && oldest !== undefined) debts.delete(oldest);
      void beginSoon(key, debt);
    },
    async look(budget, key) {
      for (let debt = debts.get(key); debt !== undefined; debt = debts.get(key)) await begin(key, debt, direct);
      return engine.look(budget, key);
    },
    flush() {
      for (const [key, debt] of debts) void beginSoon(key, debt);
    },
  };
}
