import { describe, expect, it } from "vitest";
import { allMutants } from "./mutants/all-mutants.ts";
import { findFailures } from "./mutants/run-mutant.ts";

describe("the tests of the policy", () => {
  // Each is a process of its own that loads the tests anew; one after the other, they would take longer than all other proofs.
  it.concurrent.each(allMutants.map((mutant) => [mutant.bug, mutant] as const))(
    "find a policy that %s",
    { timeout: 120_000 },
    async (_bug, mutant) => {
      expect(await findFailures(mutant)).not.toEqual([]);
    },
  );
});
