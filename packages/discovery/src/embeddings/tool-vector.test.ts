import { describe, expect, it } from "vitest";
import { likeness, quantize, readVector, toDirection, writeVector } from "./tool-vector.ts";

// Numbers that look random and are the same each time.
const vectorOf = (seed: number): readonly number[] =>
  Array.from({ length: 256 }, (_, at) => Math.sin(seed * 12.9898 + at * 78.233) * 43.7);
const exact = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe("a vector in bytes", () => {
  it("is as near to others as the exact one, to half a hundredth", () => {
    const query = toDirection(vectorOf(1));
    for (let seed = 2; seed < 60; seed += 1) {
      const direction = toDirection(vectorOf(seed));
      expect(Math.abs(likeness(query, quantize(direction)) - exact(query, direction))).toBeLessThan(0.005);
    }
    expect(likeness(query, quantize(query))).toBeCloseTo(1, 3);
  });

  it("does not depend on the scale, however large or small", () => {
    expect(toDirection([3e200, 4e200])).toEqual(toDirection([3, 4]));
    expect(toDirection([3e-200, 4e-200])).toEqual(toDirection([3, 4]));
  });

  it("comes back from a store as it went, and nothing else does", () => {
    const vector = quantize(toDirection(vectorOf(3)));
    const stored = JSON.parse(JSON.stringify(writeVector(vector)));
    expect(readVector(stored, 256)).toEqual(vector);
    expect(readVector(stored, undefined)).toEqual(vector);
    const nonsense = [
      undefined,
      7,
      {},
      { ...stored, version: 2 },
      { version: 1, bytes: "*" },
      { version: 1, bytes: "AAAA" },
    ];
    expect(readVector(stored, 255)).toBeUndefined();
    for (const value of nonsense) expect(readVector(value, undefined)).toBeUndefined();
  });

  it("throws invalid_output for what has no direction", () => {
    for (const vector of [[], [0, 0], [1, Number.NaN], [Number.POSITIVE_INFINITY], { length: 1e9 }]) {
      expect(() => toDirection(vector as number[])).toThrow("invalid_output");
    }
  });
});
