import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { EndStandstill } from "./test/end-standstill.ts";
import { LongestFirst } from "./test/longest-first.ts";

// Tests run the packages' TypeScript sources; servers that tests start as child processes run from `dist`, which `pnpm test` builds first.
// "import" is not among them: workers are started with these conditions, and CommonJS that requires a package would get its modules (`pg` does so).
const conditions = ["@hostside/source", "node", "module"];
// What is not of this repository is loaded by Node itself, which knows no "module": behind that stand files for bundlers (`@opentelemetry/api`).
const externalConditions = ["@hostside/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: externalConditions, externalConditions } },
  test: {
    include: ["{packages/*,fixtures,conformance,bench,examples}/{src,test}/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/choose-seed.ts"],
    reporters: ["default", ...(process.env["CI"] === undefined ? [] : ["json"]), new EndStandstill()],
    outputFile: { json: ".ci/report.json" },
    // A run of CI translates each file once, for the suite and for all proofs. Elsewhere sources change, and what they resolve to with them.
    experimental: { fsModuleCache: process.env["CI"] !== undefined },
    pool: "forks",
    // Files share a process and its modules, so that a fifth of the time is not spent on loading them again; a test leaves no state behind.
    isolate: false,
    // One more than there are cores: a third of the time, a file waits for a process or a clock, and another can use the core.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Limits are for tests that hang. A busy machine may need many times as long as a quiet one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
    unstubGlobals: true,
  },
});
