import type { Count, CountingEngine, Full, Taken } from "../../src/limits/create-limit-store.ts";

/**
 * An engine that fails, or does not answer, as it is told to. Rates are counts that never come
 * back.
 */
export interface MemoryEngine extends CountingEngine {
  mode: "well" | "down" | "silent";
  readonly counts: Map<string, number>;
  /** How often it was asked. */
  asked: number;
  /** Answers whoever was not answered. */
  answerAll(): void;
}

export function createMemoryEngine(): MemoryEngine {
  const held: (() => void)[] = [];
  const answer = async (): Promise<void> => {
    engine.asked += 1;
    if (engine.mode === "down") throw new Error("connection refused");
    if (engine.mode === "silent") await new Promise<void>((resolve) => void held.push(resolve));
  };
  const used = ({ name }: Count): number => engine.counts.get(name) ?? 0;
  const add = (count: Count, units: number): unknown => engine.counts.set(count.name, used(count) + units);
  const engine: MemoryEngine = {
    mode: "well",
    counts: new Map(),
    asked: 0,
    answerAll() {
      engine.mode = "well";
      for (const resolve of held.splice(0)) resolve();
    },
    async take(count): Promise<Taken | Full> {
      await answer();
      if (used(count) >= count.limit) return { used: used(count), retryAfterMs: count.stepMs };
      add(count, 1);
      return { since: "1" };
    },
    async giveBack(count) {
      await answer();
      return add(count, -1);
    },
  };
  return engine;
}
