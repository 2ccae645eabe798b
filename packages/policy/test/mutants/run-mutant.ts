import { readFile } from "node:fs/promises";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest } from "vitest/node";
import type { PolicyMutant } from "./policy-mutant.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** Runs the tests of one mutant after the other, each in a thread of its own. */
export interface MutantRunner extends AsyncDisposable {
  /**
   * The names of the tests that fail with this mistake in the sources, at least the first of them.
   * Throws when a patch does not fit, or the tests do not even start. One at a time.
   */
  findFailures(mutant: PolicyMutant): Promise<readonly string[]>;
}

/**
 * One runner for all mutants: most of what a run of the tests takes is to read and translate them,
 * and that is done once.
 */
export async function createMutantRunner(): Promise<MutantRunner> {
  let patches: PolicyMutant["patches"] = [];
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
      await expectFit(mutant);
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

async function expectFit({ bug, patches }: PolicyMutant): Promise<void> {
  for (const { file, find } of patches) {
    const text = await readFile(`${src}${file}`, "utf8");
    if (text.split(find).length !== 2) throw new Error(`${file}: the patch for "${bug}" does not fit`);
  }
}
