import { fileURLToPath } from "node:url";
import type { createProviderPool } from "@toolport/pool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadMutant } from "../../../../test/load-mutant.ts";
import { mutants } from "./mutants.ts";
import { randomProgram } from "./random-program.ts";
import { simulatePool } from "./simulate-pool.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

describe("the simulation of a pool", () => {
  it.each(mutants.map((mutant) => [mutant.bug, mutant] as const))("catches one that %s", async (_bug, mutant) => {
    const { createProviderPool: create } = await loadMutant<{ readonly createProviderPool: typeof createProviderPool }>(
      src,
      mutant,
    );
    const details = await fc.check(
      fc.asyncProperty(randomProgram, async (program) => (await simulatePool(create, program)).length === 0),
      { numRuns: 5000, seed: 1, endOnFailure: true },
    );
    expect(details.failed).toBe(true);
  });
});
