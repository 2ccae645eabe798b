import { describe, expect, it } from "vitest";
import { formatMicros, growthOf, growthTable } from "./growth-of.ts";
import { growthPlot } from "./growth-plot.ts";
import type { GrowthPoint } from "./measure-growth.ts";

const points: readonly GrowthPoint[] = [1, 10, 100, 1000].flatMap((size) => [
  { series: "flat", of: "tools", size, micros: 5 },
  { series: "linear", of: "tools", size, micros: 2 * size },
  { series: "quadratic", of: "tools", size, micros: size * size },
  { series: "other", of: "servers", size, micros: 1 },
]);

describe("growthOf", () => {
  it("tells flat, linear and quadratic growth apart, by kind of size", () => {
    const exponents = growthOf(points, "tools").map(({ series, exponent }) => [
      series,
      Math.round(exponent * 100) / 100,
    ]);
    expect(exponents).toEqual([
      ["flat", 0],
      ["linear", 1],
      ["quadratic", 2],
    ]);
  });

  it("makes a table with a column for each size", () => {
    expect(growthTable(growthOf(points, "servers"), "servers").split("\n")).toEqual([
      "| | 1 server | 10 servers | 100 servers | 1,000 servers | exponent |",
      "|---|---:|---:|---:|---:|---:|",
      "| other | 1.0 µs | 1.0 µs | 1.0 µs | 1.0 µs | 0.00 |",
    ]);
  });

  it("writes time in a unit that fits", () => {
    expect([0.12, 999, 1500, 25_000, 2e6].map(formatMicros)).toEqual(["0.1 µs", "999 µs", "1.5 ms", "25 ms", "2.0 s"]);
  });
});

describe("growthPlot", () => {
  it("draws each operation as one line inside of the picture", () => {
    const svg = growthPlot("Cost", growthOf(points, "tools"));
    const lines = Array.from(svg.matchAll(/<polyline points="([^"]+)"/g), ([, path = ""]) => path.split(" "));
    expect(lines.map((line) => line.length)).toEqual([4, 4, 4]);
    for (const point of lines.flat()) {
      const [x = Number.NaN, y = Number.NaN] = point.split(",").map(Number);
      expect(x >= 0 && x <= 720 && y >= 0 && y <= 420, point).toBe(true);
    }
  });
});
