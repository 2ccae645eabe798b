import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadMutant as loadPart } from "../../../../test/load-mutant.ts";
import { sampled } from "../../../../test/sampled.ts";
import type { Gate } from "../../src/calls/fair-queue.ts";
import { checkTurns } from "../turns.ts";
import { loadMutant } from "./load-mutant.ts";
import { mutants } from "./mutants.ts";
import { simulate } from "./simulate.ts";
import { turnMutants } from "./turn-mutants.ts";

describe("the simulation", () => {
  it.each(sampled(mutants).map((mutant) => [mutant.bug, mutant] as const))(
    "catches a provider that %s",
    { timeout: 120_000 },
    async (_bug, mutant) => {
      const create = await loadMutant(mutant);
      const details = await simulate({ create, numRuns: 20_000, kinds: mutant.kinds, seed: 1, shrink: false });
      expect(details.failed).toBe(true);
    },
  );
});

const src = fileURLToPath(new URL("../../src/", import.meta.url));

describe("the check of turns", () => {
  it.each(sampled(turnMutants).map((mutant) => [mutant.bug, mutant] as const))(
    "catches a gate that %s",
    async (_bug, mutant) => {
      const gate = await loadPart<{ readonly Gate: typeof Gate }>(src, mutant, "calls/fair-queue.ts");
      await expect(checkTurns(gate.Gate, 1500)).rejects.toBeInstanceOf(Error);
    },
  );
});
