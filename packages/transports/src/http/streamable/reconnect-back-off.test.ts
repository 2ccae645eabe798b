import { describe, expect, it } from "vitest";
import { isPassing, reconnectDelayMs } from "./reconnect-back-off.ts";

const random = (): number => 0;

describe("reconnectDelayMs()", () => {
  it.each([
    { barren: 0, serverMs: undefined, expected: 1000 },
    { barren: 0, serverMs: 500, expected: 500 },
    { barren: 0, serverMs: 0, expected: 250 },
    { barren: 0, serverMs: 3_600_000, expected: 60_000 },
    { barren: 1, serverMs: undefined, expected: 1000 },
    { barren: 1, serverMs: 0, expected: 1000 },
    { barren: 4, serverMs: 10, expected: 8000 },
    { barren: 1000, serverMs: 10, expected: 60_000 },
  ])("waits $expected ms after $barren barren streams when the server asks for $serverMs", ({ expected, ...state }) => {
    expect(reconnectDelayMs({ ...state, random })).toBe(expected);
  });

  it("is spread by up to a fifth, but not beyond a minute", () => {
    expect(reconnectDelayMs({ barren: 2, serverMs: undefined, random: () => 0.999 })).toBeCloseTo(2400, -1);
    expect(reconnectDelayMs({ barren: 99, serverMs: undefined, random: () => 0.999 })).toBe(60_000);
  });
});

describe("isPassing()", () => {
  it("takes 408, 429 and server errors for passing, and no other status", () => {
    expect([400, 404, 405, 408, 409, 429, 500, 503].filter(isPassing)).toEqual([408, 429, 500, 503]);
  });
});
