import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allMutants } from "./mutants/all-mutants.ts";
import { createMutantRunner, type MutantRunner } from "./mutants/run-mutant.ts";

describe("the tests of the policy", () => {
  let runner: MutantRunner;
  beforeAll(async () => {
    runner = await createMutantRunner();
  });
  afterAll(() => runner[Symbol.asyncDispose]());

  it.each(allMutants.map((mutant) => [mutant.bug, mutant] as const))(
    "find a policy that %s",
    { timeout: 120_000 },
    async (_bug, mutant) => {
      expect(await runner.findFailures(mutant)).not.toEqual([]);
    },
  );

  it.each(Array.from(new Set(allMutants.map(({ test }) => test))))("find nothing without a bug: %s", async (test) => {
    expect(await runner.findFailures({ bug: "", patches: [], test })).toEqual([]);
  });
});
