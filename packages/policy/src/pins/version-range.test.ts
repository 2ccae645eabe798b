import { describe, expect, it } from "vitest";
import { readVersionRange } from "./pin-options.ts";

const rows: readonly (readonly [range: string, inside: string, outside: string])[] = [
  ["*", "1.2.3 x 2026.8.31 1.0.0-beta", ""],
  ["1.*", "1.0.0 1.99.0", "0.9.0 2.0.0 10.0.0 1.0.0-beta 1.2 v1.0.0"],
  ["1.x", "1.0.0 1.99.0", "1.x 0.9.0 2.0.0"],
  ["1.2.X", "1.2.0 1.2.9", "1.2.X 1.3.0"],
  ["1.2.*", "1.2.0 1.2.9", "1.3.0 1.20.0 1.1.9"],
  ["^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 1.3.0-beta 1.2.3-beta 01.2.3"],
  ["^1.2", "1.2.0 1.9.0", "1.1.9 2.0.0"],
  ["^1", "1.0.0 1.9.0", "0.9.9 2.0.0"],
  ["^0.2.3", "0.2.3 0.2.9", "0.2.2 0.3.0 1.0.0"],
  ["^0.0.3", "0.0.3", "0.0.4 0.1.0"],
  ["^0.0", "0.0.0 0.0.9", "0.1.0"],
  ["^0", "0.0.0 0.9.0", "1.0.0"],
  ["1.2.3", "1.2.3", "1.2.30 v1.2.3 1.2.3-beta"],
  ["1.2.3-beta.1", "1.2.3-beta.1", "1.2.3 1.2.3-beta.10"],
  ["2026.8.31", "2026.8.31", "2026.9.1"],
];

describe("readVersionRange()", () => {
  it.each(rows)("%s takes %s and not %s", (range, inside, outside) => {
    const matches = readVersionRange(range, "it");
    const split = (versions: string): readonly string[] => versions.split(" ").filter((version) => version !== "");
    expect(split(inside).filter((version) => !matches(version))).toEqual([]);
    expect(split(outside).filter(matches)).toEqual([]);
    expect(matches(undefined)).toBe(range === "*");
  });

  it.each(["", "^", "^x", "1.2.3.*", "*.1", ">=1", "1.2 || 2", "^1.2.3-beta", "~1.2", " 1"])("refuses %j", (range) => {
    expect(() => readVersionRange(range, "pins.versions.a")).toThrow(
      new TypeError(
        `pins.versions.a: ${JSON.stringify(range)} is no range of versions; try "1.2.3", "^1.2.3", "1.*" or "*"`,
      ),
    );
  });

  it("refuses what is no text", () => {
    expect(() => readVersionRange(1, "pins.versions.a")).toThrow(new TypeError("pins.versions.a must be a text"));
  });
});
