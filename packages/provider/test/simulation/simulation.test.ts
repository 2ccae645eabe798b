import fc from "fast-check";
import { createProvider } from "@toolport/provider";
import { describe, expect, it } from "vitest";
import { simulate } from "./simulate.ts";

// `pnpm soak` sets these: more schedules, or the seed and path that a failure has printed, to run it again.
const { TOOLPORT_SCHEDULES: schedules, TOOLPORT_SEED: seed, TOOLPORT_PATH: path } = process.env;
const numRuns = Number(schedules ?? 20_000);

describe("a provider in a simulated world", () => {
  it(
    `holds its invariants in ${numRuns} random schedules (AN-41 to AN-50, AN-52, EV-38, NX-12, NX-34, NX-35, NX-66)`,
    { timeout: Math.max(240_000, numRuns * 20) },
    async () => {
      const details = await simulate({
        create: createProvider,
        numRuns,
        path,
        ...(seed !== undefined && { seed: Number(seed) }),
      });
      expect(details.failed, fc.defaultReportMessage(details)).toBe(false);
    },
  );
});
