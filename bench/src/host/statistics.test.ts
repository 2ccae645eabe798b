import { describe, expect, it } from "vitest";
import { median, quantile, spreadOf } from "./statistics.ts";

describe("statistics", () => {
  it("takes the middle of an odd number of values, whatever their order", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it("takes the mean of the two middle ones of an even number", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it("interpolates between neighbours for other quantiles", () => {
    expect(quantile([0, 10], 0.9)).toBeCloseTo(9);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it("tells the whole spread", () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  });

  it("makes no number of nothing", () => {
    expect(median([])).toBeNaN();
  });
});
