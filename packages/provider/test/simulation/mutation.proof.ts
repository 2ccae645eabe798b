import { describe, expect, it } from "vitest";
import { loadMutant } from "./load-mutant.ts";
import { mutants } from "./mutants.ts";
import { simulate } from "./simulate.ts";

describe("the simulation", () => {
  it.each(mutants.map((mutant) => [mutant.bug, mutant] as const))(
    "catches a provider that %s",
    { timeout: 120_000 },
    async (_bug, mutant) => {
      const create = await loadMutant(mutant);
      const details = await simulate({ create, numRuns: 20_000, kinds: mutant.kinds, seed: 1, shrink: false });
      expect(details.failed).toBe(true);
    },
  );
});
