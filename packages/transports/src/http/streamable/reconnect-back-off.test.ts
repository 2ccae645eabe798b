import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isPassing, reconnectDelayMs } from "./reconnect-back-off.ts";

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

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
  ])(
    "waits $expected ms after $barren barren streams when the server asks for $serverMs",
    ({ expected, barren, serverMs }) => {
      expect(reconnectDelayMs(barren, serverMs)).toBe(expected);
    },
  );

  it("is spread by up to a fifth, but not beyond a minute", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    expect(reconnectDelayMs(2, undefined)).toBeCloseTo(2400, -1);
    expect(reconnectDelayMs(99, undefined)).toBe(60_000);
  });
});

describe("isPassing()", () => {
  it("takes 408, 429 and server errors for passing, and no other status", () => {
    expect([400, 404, 405, 408, 409, 429, 500, 503].filter(isPassing)).toEqual([408, 429, 500, 503]);
  });
});
