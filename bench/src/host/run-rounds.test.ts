import { describe, expect, it } from "vitest";
import type { Adapter, Measurement } from "./measure.ts";
import { runRounds } from "./run-rounds.ts";
import type { Metric, Workload } from "./workloads/workload.ts";

const floor: Adapter = { id: "floor", url: "file:///floor.js" };
const [one, two]: readonly [Adapter, Adapter] = [
  { id: "one", url: "file:///one.js" },
  { id: "two", url: "file:///two.js" },
];
const ratio: Metric = { name: "ms", label: "over floor", as: "ratio" };
const absolute: Metric = { name: "ms", label: "time", as: "absolute", unit: "ms" };

describe("runRounds", () => {
  it("measures the floor right before each contender, after a warm-up, and turns the order round by round", async () => {
    const order: string[] = [];
    await runRounds(workload(ratio), [one, two], { rounds: 2, floor, measure: recording(order, () => 1) });
    expect(order).toEqual(["floor", "floor", "one", "floor", "two", "floor", "two", "floor", "one"]);
  });

  it("compares with the floor of the same pair, not with any other", async () => {
    // A machine that gets twice as slow from one measurement pair to the next.
    let speed = 0.5;
    const measure = recording([], (id) => {
      if (id === "floor") speed *= 2;
      return (id === "floor" ? 10 : 15) * speed;
    });
    const [row] = await runRounds(workload(ratio), [one], { rounds: 3, floor, measure });
    expect(row?.values["ms"]).toEqual({ median: 1.5, min: 1.5, max: 1.5 });
  });

  it("does not measure the floor for what is compared with nothing", async () => {
    const order: string[] = [];
    const [row] = await runRounds(workload(absolute), [one], { rounds: 1, floor, measure: recording(order, () => 7) });
    expect(order).toEqual(["one"]);
    expect(row?.values["ms"]?.median).toBe(7);
  });

  it("counts the rounds that failed, says why, and reports the others", async () => {
    let round = 0;
    const measure = async ({ id }: Adapter): Promise<Measurement> => {
      round += 1;
      return round === 1 ? { ok: false, reason: "it broke" } : measured(id, 5);
    };
    const [row] = await runRounds(workload(absolute), [one], { rounds: 3, floor, measure });
    expect(row).toMatchObject({ failures: 1, failure: "it broke", name: "one by name" });
    expect(row?.values["ms"]?.median).toBe(5);
  });

  it("has no value for who failed every time, and none for a metric that was not measured", async () => {
    const failing = async (): Promise<Measurement> => ({ ok: false, reason: "not here" });
    const [failed] = await runRounds(workload(absolute), [one], { rounds: 2, floor, measure: failing });
    expect(failed).toMatchObject({ failures: 2, values: {} });
    const silent = async (): Promise<Measurement> => ({ ok: true, value: { name: "n", version: "1", metrics: {} } });
    const [row] = await runRounds(workload(absolute), [one], { rounds: 1, floor, measure: silent });
    expect(row).toMatchObject({ failures: 0, values: {} });
  });
});

function workload(metric: Metric): Workload {
  return { id: "w", title: "Work", metrics: [metric], run: async () => ({}) };
}

function recording(order: string[], ms: (id: string) => number): (adapter: Adapter) => Promise<Measurement> {
  return async ({ id }) => {
    order.push(id);
    return measured(id, ms(id));
  };
}

function measured(id: string, ms: number): Measurement {
  return { ok: true, value: { name: `${id} by name`, version: "1.0.0", metrics: { ms } } };
}
