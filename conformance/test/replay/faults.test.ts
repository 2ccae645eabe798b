import { findFault, type FaultTransport } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { replayFault } from "./replay-fault.ts";

// All others are played by `pnpm proof replay`.
const played: readonly (readonly [string, FaultTransport])[] = [
  ["stdio-crash-mid-call", "stdio"],
  ["stdio-exit-with-reason", "stdio"],
  ["stdio-missing-command", "stdio"],
  ["framing-invalid-utf8", "stdio"],
  ["framing-banner", "stdio"],
  ["http-reset-in-body", "http"],
  ["stream-cut-mid-call", "http"],
  ["stream-resumes", "http"],
  ["call-server-requests", "stdio"],
  ["sse-post-500", "sse"],
  ["call-null-id", "sse"],
  ["call-deep-result", "http"],
];

describe("a fault that was recorded", () => {
  it.each(played)("is the same without its server: %s", async (id, transport) => {
    const fault = findFault(id);
    if (fault === undefined) throw new TypeError(`no fault ${id}`);
    const { live, replayed } = await replayFault(fault, transport);
    expect(replayed).toEqual(live);
    expect(JSON.stringify(live)).toMatch(/"code":|"result":/);
  });
});
