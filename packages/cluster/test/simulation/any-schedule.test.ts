import { createSharedProviders } from "@hostside/cluster";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomProgram, randomSharedProgram } from "./random-program.ts";
import { simulatePool } from "./simulate-pool.ts";
import { simulateShared } from "./simulate-shared.ts";

// `pnpm proof properties` asks for more.
const schedules = Math.ceil(Number(process.env["HOSTSIDE_SCHEDULES"] ?? 300) / 4);

describe("a pool under any schedule", () => {
  it("has one provider for each key, ends none in use, takes no more room than there is, and leaves nothing", async () => {
    await fc.assert(
      fc.asyncProperty(randomProgram, async (program) => {
        expect(await simulatePool(createSharedProviders, program)).toEqual([]);
      }),
      { numRuns: schedules },
    );
  });
});

describe("shared providers under any schedule", () => {
  it("cross nobody, keep their bounds, and leave nothing", async () => {
    await fc.assert(
      fc.asyncProperty(randomSharedProgram, async (program) => {
        expect(await simulateShared(createSharedProviders, program)).toEqual([]);
      }),
      { numRuns: Math.ceil(schedules / 1.5) },
    );
  });
});
