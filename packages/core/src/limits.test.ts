import { describe, expect, it } from "vitest";
import { defaultLimits, defaultTimeouts } from "./limits.ts";

describe("the defaults", () => {
  it("of limits are as documented (AN-84)", () => {
    expect(defaultLimits).toEqual({
      maxPages: 100,
      maxTools: 10_000,
      maxNameLength: 1024,
      maxDescriptionLength: 8192,
      maxSchemaLength: 65_536,
      maxSchemaDepth: 64,
      maxServerTextLength: 32_768,
      maxCursorLength: 65_536,
      maxMessageBytes: 8_388_608,
      maxNotificationsPerSecond: 200,
      stderrTailBytes: 65_536,
      maxInFlightCalls: 64,
      maxQueuedCalls: 256,
    });
  });

  it("of timeouts are as documented (AN-85)", () => {
    expect(defaultTimeouts).toEqual({
      connectMs: 60_000,
      probeMs: 5000,
      listMs: 30_000,
      callMs: 600_000,
      requestMs: 60_000,
      elicitMs: 300_000,
      closeMs: 2000,
    });
  });
});
