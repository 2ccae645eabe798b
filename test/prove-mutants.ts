import { readFile } from "node:fs/promises";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createVitest } from "vitest/node";
import type { SourceMutant } from "./load-mutant.ts";
import { runConcurrently } from "./run-concurrently.ts";
import { sampled } from "./sampled.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** A deliberate bug, and the file of tests, from the root of the repository, that has to find it. */
export interface TestedMutant extends SourceMutant {
  readonly test: string;
}

// Some mistakes are found when a test's time is up, and others can be looked for meanwhile.
const workers = 2;

/**
 * Tests that each mutant is found by its tests, and that these find nothing without one. `src` is
 * the folder that the patches are in, as an absolute path that ends in a separator.
 */
export function proveMutants(what: string, src: string, all: readonly TestedMutant[]): void {
  const mutants = sampled(all);
  const tests = Array.from(new Set(mutants.map(({ test }) => test)));

  describe(`the tests of ${what}`, () => {
    let runners: readonly MutantRunner[] = [];
    let failures: ReadonlyMap<TestedMutant, Promise<readonly string[]>> = new Map();
    beforeAll(async () => {
      runners = await Promise.all(Array.from({ length: workers }, () => createMutantRunner(src)));
      const find = async (mutant: TestedMutant, worker: number): Promise<readonly string[]> => {
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
      "find one that %s",
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
}

/** Runs the tests of one mutant after the other, each in a thread of its own. */
interface MutantRunner extends AsyncDisposable {
  /**
   * The names of the tests that fail with this mistake in the sources, at least the first of them.
   * Throws when a patch does not fit, or the tests do not even start. One at a time.
   */
  findFailures(mutant: TestedMutant): Promise<readonly string[]>;
}

/**
 * One runner for all mutants: most of what a run of the tests takes is to read and translate them,
 * and that is done once.
 */
async function createMutantRunner(src: string): Promise<MutantRunner> {
  let patches: TestedMutant["patches"] = [];
  const transform = (code: string, id: string): { readonly code: string; readonly map: null } | undefined => {
    const file = id.startsWith(src) ? id.slice(src.length).replaceAll(sep, "/") : undefined;
    const patched = patches
      .filter((patch) => patch.file === file)
      .reduce((text, { find, replace }) => text.replace(find, () => replace), code);
    return patched === code ? undefined : { code: patched, map: null };
  };
  // What is kept between runs would be kept with a bug in it.
  const kept = { experimental: { fsModuleCache: false } };
  const vitest = await createVitest(
    "test",
    {
      root,
      config: `${root}vitest.config.ts`,
      watch: false,
      reporters: [{}],
      maxWorkers: 1,
      bail: 1,
      pool: "threads",
      ...kept,
    },
    { plugins: [{ name: "patch-sources", enforce: "pre", transform }] },
  );
  const { exitCode } = process;
  const readAnew = (): void => {
    for (const { file } of patches) vitest.invalidateFile(src + file);
  };

  return {
    async findFailures(mutant) {
      await expectFit(src, mutant);
      readAnew();
      ({ patches } = mutant);
      readAnew();
      const chosen = await vitest.globTestSpecifications([mutant.test]);
      const { testModules } = await vitest.runTestSpecifications(chosen);
      // It says that this process failed, where finding a failure is what is wanted.
      process.exitCode = exitCode;
      // What ran before is still among them.
      const ran = testModules.filter(({ moduleId }) => chosen.some((one) => one.moduleId === moduleId));
      const tests = ran.flatMap(({ children }) => Array.from(children.allTests()));
      if (tests.length === 0) throw new Error(`${mutant.test} runs no test`);
      return tests.filter((test) => test.result().state === "failed").map(({ fullName }) => fullName);
    },
    [Symbol.asyncDispose]: () => vitest.close(),
  };
}

async function expectFit(src: string, { bug, patches }: TestedMutant): Promise<void> {
  for (const { file, find } of patches) {
    const text = await readFile(`${src}${file}`, "utf8");
    if (text.split(find).length !== 2) throw new Error(`${file}: the patch for "${bug}" does not fit`);
  }
}
