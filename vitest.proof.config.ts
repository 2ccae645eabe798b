import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";
import { EndStandstill } from "./test/end-standstill.ts";

// Files that end in `.proof.ts` take too long for every `pnpm test`. They are part of `pnpm proof`, which reads the JSON report.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    reporters: ["default", "json", new EndStandstill()],
    maxConcurrency: 3,
    // Proofs mostly wait: for what a broken server never answers, and for deadlines.
    maxWorkers: availableParallelism() + 2,
    include: ["{packages/*,fixtures,conformance,bench,examples}/{src,test}/**/*.proof.ts"],
  },
});
