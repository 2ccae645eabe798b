import { createProvider } from "@hostside/provider";
import type { RefreshMode } from "../../src/link/link-state.ts";
import { describe, expect, it } from "vitest";
import { failureReport } from "../failure-report.ts";
import { simulate } from "./simulate.ts";

// `pnpm soak` sets these: another number of schedules, or the path that a failure has printed, to
// run it again with its seed.
const { HOSTSIDE_SCHEDULES: schedules, HOSTSIDE_PATH: path } = process.env;

/**
 * Tests a provider in one mode in so many random schedules. One file for each mode, so that they
 * run side by side.
 */
export function describeSimulation(refresh: RefreshMode, usualRuns: number): void {
  const numRuns = Number(schedules ?? usualRuns);
  describe(`a provider with refresh: "${refresh}" in a simulated world`, () => {
    it(
      `holds its invariants in ${numRuns} random schedules`,
      { timeout: Math.max(240_000, numRuns * 20) },
      async () => {
        const details = await simulate({ create: createProvider, numRuns, modes: [refresh], path });
        expect(details.failed, failureReport(details)).toBe(false);
      },
    );
  });
}
