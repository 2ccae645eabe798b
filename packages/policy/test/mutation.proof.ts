import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConcurrently } from "../../../test/run-concurrently.ts";
import { sampled } from "../../../test/sampled.ts";
import { allMutants } from "./mutants/all-mutants.ts";
import type { PolicyMutant } from "./mutants/policy-mutant.ts";
import { createMutantRunner, type MutantRunner } from "./mutants/run-mutant.ts";

// Some mistakes are found when a test's time is up, and others can be looked for meanwhile.
const workers = 2;

const mutants = sampled(allMutants);
const tests = Array.from(new Set(mutants.map(({ test }) => test)));

describe("the tests of the policy", () => {
  let runners: readonly MutantRunner[] = [];
  let failures: ReadonlyMap<PolicyMutant, Promise<readonly string[]>> = new Map();
  beforeAll(async () => {
    runners = await Promise.all(Array.from({ length: workers }, () => createMutantRunner()));
    const find = async (mutant: PolicyMutant, worker: number): Promise<readonly string[]> => {
      const runner = runners[worker];
      if (runner === undefined) throw new RangeError(`there is no worker ${worker}`);
      return runner.findFailures(mutant);
    };
    failures = runConcurrently(mutants, workers, find);
  });
  afterAll(async () => {
    await Promise.allSettled(failures.values());
    for (const runner of runners) await runner[Symbol.asyncDispose]();
  });

  it.each(mutants.map((mutant) => [mutant.bug, mutant] as const))(
    "find a policy that %s",
    { timeout: 120_000 },
    async (_bug, mutant) => {
      expect((await failures.get(mutant))?.length).toBeGreaterThan(0);
    },
  );

  // Nothing is left of a mistake, in any of the workers.
  it.each(tests)("find nothing without a bug: %s", { timeout: 120_000 }, async (test) => {
    await Promise.allSettled(failures.values());
    const found = await Promise.all(runners.map((runner) => runner.findFailures({ bug: "", patches: [], test })));
    expect(found).toEqual(runners.map(() => []));
  });
});
