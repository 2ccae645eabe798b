import { createProviderPool } from "@toolport/pool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomProgram } from "./random-program.ts";
import { simulatePool } from "./simulate-pool.ts";

describe("a pool under any schedule", () => {
  it("has one provider for each key, ends none in use, takes no more room than there is, and leaves nothing", async () => {
    await fc.assert(
      fc.asyncProperty(randomProgram, async (program) => {
        expect(await simulatePool(createProviderPool, program)).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });
});
