import fc from "fast-check";
import { test as plainTest } from "vitest";

// Under a name of its own, because no linter sees what is asserted here.
const declare = plainTest;

type Arbitraries<Values> = { [Key in keyof Values]: fc.Arbitrary<Values[Key]> };

/**
 * `test.prop([arbitraries], parameters)(name, predicate, timeoutMs)`: a test of what holds for all
 * values. `@fast-check/vitest` has the same, but writes out every chain of modifiers of `test` when
 * it is loaded, which takes each process that runs tests seconds.
 */
export const test = {
  prop<Values extends [unknown, ...unknown[]]>(arbitraries: Arbitraries<Values>, parameters?: fc.Parameters<Values>) {
    return (name: string, predicate: (...values: Values) => unknown, timeoutMs?: number): void =>
      declare(
        name,
        () =>
          fc.assert(
            fc.asyncProperty(...arbitraries, async (...values) => (await predicate(...values)) !== false),
            parameters,
          ),
        timeoutMs,
      );
  },
};
