import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

// What takes too long for every `pnpm test`: files that end in `.proof.ts`. Part of `pnpm proof`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    maxConcurrency: 3,
    // Proofs mostly wait: for what a broken server never answers, and for deadlines.
    maxWorkers: availableParallelism() + 2,
    include: ["{packages/*,fixtures,conformance,bench,examples}/{src,test}/**/*.proof.ts"],
  },
});
