import type { CountingEngine, Full, Taken } from "../../src/limits/counting-engine.ts";

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
  const used = (key: string): number => engine.counts.get(key) ?? 0;
  const take = async (limit: number, key: string, retryAfterMs?: number): Promise<Taken | Full> => {
    await answer();
    if (used(key) >= limit) return { full: true, used: used(key), retryAfterMs };
    engine.counts.set(key, used(key) + 1);
    return {
      full: false,
      async giveBack() {
        await answer();
        engine.counts.set(key, used(key) - 1);
      },
    };
  };
  const engine: MemoryEngine = {
    name: "memory",
    mostUnits: 1e15,
    mode: "well",
    counts: new Map(),
    asked: 0,
    answerAll() {
      engine.mode = "well";
      for (const resolve of held.splice(0)) resolve();
    },
    takeToken: async ({ burst, stepMs }, key) => take(burst, key, stepMs),
    takeUnit: async ({ limit }, key) => take(limit, key),
    async look({ limit }, key) {
      await answer();
      return used(key) >= limit ? { full: true, used: used(key), retryAfterMs: undefined } : undefined;
    },
    async add(_budget, key, units) {
      await answer();
      engine.counts.set(key, used(key) + units);
    },
  };
  return engine;
}
