import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createProvider } from "@toolport/provider";
import { simulate } from "./simulate.ts";

// `pnpm soak` sets the number; a failure is run again with the seed and path that it prints.
const numRuns = Number(process.env["TOOLPORT_SCHEDULES"] ?? 20_000);
const seed = process.env["TOOLPORT_SEED"];

describe("a provider in a simulated world", () => {
  it(
    `holds its invariants in ${numRuns} random schedules (AN-41 to AN-50, AN-52, EV-38, NX-12, NX-34, NX-35, NX-66)`,
    { timeout: Math.max(120_000, numRuns * 20) },
    async () => {
      const details = await simulate({
        create: createProvider,
        numRuns,
        seed: seed === undefined ? undefined : Number(seed),
      });
      expect(details.failed, fc.defaultReportMessage(details)).toBe(false);
      expect(details.numRuns).toBe(numRuns);
    },
  );
});
