import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mutants } from "./mutants/all-mutants.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { failedChecks, runMutant } from "./mutants/run-mutant.ts";

// Processes are what costs time, so few at once; what runs in this process waits most of the time.
const atOnce = { stdio: 3, http: 3 } as const;

describe("each broken server fails exactly the checks that it should", () => {
  const runs = new Map<string, Promise<{ failed: readonly string[]; verdict: string }>>();
  const stopped = new AbortController();

  beforeAll(() => {
    for (const transport of ["stdio", "http"] as const)
      startAll(
        mutants.filter((mutant) => mutant.transport === transport),
        atOnce[transport],
      );
  });
  afterAll(() => stopped.abort());

  function startAll(waiting: readonly Mutant[], count: number): void {
    const lanes: Promise<unknown>[] = Array.from({ length: count }, () => Promise.resolve());
    for (const [n, mutant] of waiting.entries()) {
      const run = (lanes[n % count] ?? Promise.resolve()).then(() => runMutant(mutant, { signal: stopped.signal }));
      runs.set(
        mutant.id,
        run.then((report) => ({ failed: failedChecks(report), verdict: report.verdict })),
      );
      lanes[n % count] = run.catch(() => undefined);
    }
  }

  it.each(mutants)(
    "$id: $wrong",
    async ({ id, fails }) => {
      expect(await runs.get(id)).toMatchObject({ failed: fails.toSorted() });
    },
    240_000,
  );
});
