import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConcurrently } from "../../test/run-concurrently.ts";
import { sampled } from "../../test/sampled.ts";
import { mutants as allMutants } from "./mutants/all-mutants.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { failedChecks, runMutant } from "./mutants/run-mutant.ts";

// Those that are processes take most of the time, and those that share this process mostly wait for
// what is never answered.
const workers = { stdio: 3, http: 2, sse: 1 } as const;

// On a machine that is busy with something else a good answer may come too late. A fault stays one,
// however patient the kit is.
const patienceMs = [3000, 12_000] as const;

const mutants = sampled(allMutants);

describe("each broken server fails exactly the checks that it should", () => {
  const stopped = new AbortController();
  const runs = new Map<string, Promise<readonly string[]>>();

  beforeAll(() => {
    for (const transport of ["stdio", "http", "sse"] as const) {
      const waiting = mutants.filter((mutant) => mutant.transport === transport);
      for (const [{ id }, run] of runConcurrently(waiting, workers[transport], failuresOf)) runs.set(id, run);
    }
  });
  afterAll(() => stopped.abort());

  async function failuresOf(mutant: Mutant): Promise<readonly string[]> {
    let failed: readonly string[] = [];
    for (const answerMs of patienceMs) {
      failed = failedChecks(await runMutant(mutant, { answerMs, signal: stopped.signal }));
      if (failed.join() === mutant.fails.toSorted().join()) break;
    }
    return failed;
  }

  it.each(mutants)(
    "$id: $wrong",
    async ({ id, fails }) => {
      expect(await runs.get(id)).toEqual(fails.toSorted());
    },
    300_000,
  );
});
