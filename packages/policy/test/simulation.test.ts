import { createMemoryLock, createMemoryStore, type Interceptor, type RequestSeam } from "@hostside/core";
import { createProvider, type ProviderOptions } from "@hostside/provider";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureReport } from "../../provider/test/failure-report.ts";
import { interceptCalls } from "../../provider/test/intercept-calls.ts";
import { playedIds } from "../../provider/test/simulation/program.ts";
import { simulate } from "../../provider/test/simulation/simulate.ts";
import { createBreaker } from "../src/breaker/create-breaker.ts";
import { createLimits } from "../src/limits/create-limits.ts";
import type { PolicyParts } from "../src/refuse.ts";
import { createRetry } from "../src/retry/create-retry.ts";

const { HOSTSIDE_SCHEDULES: schedules = "200", HOSTSIDE_PATH: path } = process.env;

function partsOf(tell: PolicyParts["emit"]): PolicyParts {
  return {
    store: createMemoryStore(),
    lock: createMemoryLock(),
    emit: tell,
  };
}

/**
 * What the stages of a policy do around the calls of a provider, in the order in which a policy
 * puts them. Where they are `tight`, calls meet the stages more than the server, and the other way
 * round where not.
 */
function stages(
  parts: PolicyParts,
  tight: boolean,
): { readonly interceptors: readonly Interceptor[]; readonly requestSeam: RequestSeam; readonly close: () => void } {
  const retry = createRetry({ attempts: 3 }, parts, 40);
  const breaker = createBreaker({ failures: tight ? 1 : 3, openMs: 50 }, parts);
  const behind = { requestSeam: breaker.seam, interceptors: [retry] };
  if (!tight) return { ...behind, close: () => undefined };
  // The calm server is the control of the experiment: its calls may be held up by nothing.
  const tools = { server: playedIds };
  const pace = {
    tools,
    per: "server",
    concurrency: 1,
    rate: { calls: 20, perMs: 1000 },
    onFull: { waitMs: 200 },
  } as const;
  const limits = createLimits({ limits: [pace, { tools, per: "tool", budget: { calls: 3, perMs: 2000 } }] }, parts);
  return { ...behind, interceptors: [limits.interceptor, ...behind.interceptors], close: () => limits.close() };
}

// A schedule that failed is played again by its path.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));
afterEach(() => void vi.restoreAllMocks());

describe("a provider with retries, limits and a breaker in a simulated world", () => {
  it(
    `runs a call of unknown effect at most once in ${schedules} random schedules, and holds all its other invariants`,
    { timeout: 240_000 },
    async () => {
      const seen = new Map<string, number>();
      const create = (options: ProviderOptions): ReturnType<typeof createProvider> => {
        const parts = partsOf((event) => {
          const name = event.type === "applied" ? `applied by ${event.stage}` : event.type;
          seen.set(name, (seen.get(name) ?? 0) + 1);
        });
        const { interceptors, requestSeam, close } = stages(parts, options.refresh === "lazy");
        const provider = createProvider({ ...options, requestSeam });
        // As an owner of both does.
        provider.onClosed(close);
        return interceptCalls(provider, interceptors);
      };
      const details = await simulate({ create, numRuns: Number(schedules), path, intercepted: true });
      expect(details.failed, failureReport(details)).toBe(false);
      // The stages had something to do, or all this would prove nothing.
      expect(Object.fromEntries(seen)).toMatchObject({
        "applied by retry": expect.any(Number),
        "applied by limits": expect.any(Number),
        refused: expect.any(Number),
        "circuit-opened": expect.any(Number),
        "circuit-half-opened": expect.any(Number),
      });
    },
  );
});
