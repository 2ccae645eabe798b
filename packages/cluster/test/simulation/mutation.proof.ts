import { fileURLToPath } from "node:url";
import { createSharedProviders } from "@hostside/cluster";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadMutant } from "../../../../test/load-mutant.ts";
import { sampled } from "../../../../test/sampled.ts";
import { mutants } from "./mutants.ts";
import { randomProgram, randomSharedProgram } from "./random-program.ts";
import { sharedMutants } from "./shared-mutants.ts";
import { simulatePool } from "./simulate-pool.ts";
import { simulateShared } from "./simulate-shared.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

// By these seeds they are found among the first hundred, and within a test's time on a slow
// machine; by the seed of the others after more than a thousand.
const seedsOf: ReadonlyMap<string, number> = new Map([
  ["gives the room of servers away that a provider refused to let go", 2],
]);

describe("the simulation of a pool", () => {
  it.each(sampled(mutants).map((mutant) => [mutant.bug, mutant] as const))(
    "catches one that %s",
    async (_bug, mutant) => {
      const { createSharedProviders: create } = await loadMutant<{
        readonly createSharedProviders: typeof createSharedProviders;
      }>(src, mutant);
      const details = await fc.check(
        fc.asyncProperty(randomProgram, async (program) => (await simulatePool(create, program)).length === 0),
        // By this seed each is found among the first few hundred, and within a test's time on a
        // slow machine.
        { numRuns: 5000, seed: 5, endOnFailure: true },
      );
      expect(details.failed).toBe(true);
    },
  );
});

describe("the simulation of shared providers", () => {
  it("finds nothing wrong in 1,500 schedules", { timeout: 300_000 }, async () => {
    const details = await fc.check(
      fc.asyncProperty(
        randomSharedProgram,
        async (program) => (await simulateShared(createSharedProviders, program)).length === 0,
      ),
      { numRuns: 1500, seed: 7 },
    );
    expect(details.counterexample).toBeNull();
  });

  it.each(sampled(sharedMutants).map((mutant) => [mutant.bug, mutant] as const))(
    "catches one that %s",
    async (_bug, mutant) => {
      const { createSharedProviders: create } = await loadMutant<{
        readonly createSharedProviders: typeof createSharedProviders;
      }>(src, mutant);
      const details = await fc.check(
        fc.asyncProperty(randomSharedProgram, async (program) => (await simulateShared(create, program)).length === 0),
        { numRuns: 2500, seed: seedsOf.get(mutant.bug) ?? 1, endOnFailure: true },
      );
      expect(details.failed).toBe(true);
    },
  );
});
