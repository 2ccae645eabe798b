import { describe, expect, it } from "vitest";
import type { Row } from "./run-rounds.ts";
import { mergeResults, toTable, whereBehind, type Results } from "./to-table.ts";
import type { Metric, Workload } from "./workloads/workload.ts";

describe("toTable", () => {
  it("has a row for each metric and a column for each contender, with the spread in brackets", () => {
    const table = toTable(
      [workload({ name: "m", label: "over floor", as: "ratio", aim: 1.15 })],
      results({ hostside: 1.1, peer: 2 }),
    );
    expect(table.split("\n")).toEqual([
      "| | aim | hostside<br>1.0.0 | peer<br>1.0.0 |",
      "|---|---|---|---|",
      "| Work: over floor | 1.15 | 1.10 (1.10 to 1.10) | 2.00 (2.00 to 2.00) |",
    ]);
  });

  it("writes shares in percent and the rest with its unit", () => {
    expect(toTable([workload({ name: "m", label: "share", as: "share" })], results({ hostside: 0.6 }))).toContain(
      "60 % (60 % to 60 %)",
    );
    expect(
      toTable([workload({ name: "m", label: "time", as: "absolute", unit: "ms" })], results({ hostside: 123.4 })),
    ).toContain("123 ms (");
  });

  it("says why there is no value, without breaking the table", () => {
    const failed: Row = {
      adapter: "peer",
      name: "peer",
      version: "",
      values: {},
      failures: 3,
      failure: "a | b <c>",
    };
    const table = toTable([workload({ name: "m", label: "time", as: "absolute" })], { w: [failed] });
    expect(table).toContain("| failed: a \\| b &lt;c> |");
  });

  it("has a dash for what a contender does not do", () => {
    const idle: Row = { adapter: "peer", name: "peer", version: "1.0.0", values: {}, failures: 0 };
    expect(toTable([workload({ name: "m", label: "time", as: "absolute" })], { w: [idle] })).toContain("| – |");
  });
});

describe("whereBehind", () => {
  it("is silent where Hostside meets its aim and nobody is better; floors do not count", () => {
    expect(
      behind({ name: "m", label: "x", as: "ratio", aim: 1.2 }, { hostside: 1.1, peer: 1.3, "floor-fetch": 1 }),
    ).toEqual([]);
  });

  it("tells a missed aim", () => {
    expect(behind({ name: "m", label: "x", as: "ratio", aim: 1.05 }, { hostside: 1.1 })).toEqual([
      "- Work, x: 1.10 (1.10 to 1.10); the aim is 1.05.",
    ]);
  });

  it("tells who is better; of a share, more is better", () => {
    const metric: Metric = { name: "m", label: "x", as: "share", aim: 0.5 };
    expect(behind(metric, { hostside: 0.6, peer: 0.7 })).toEqual([
      "- Work, x: 60 % (60 % to 60 %); peer has 70 % (70 % to 70 %).",
    ]);
    expect(behind(metric, { hostside: 0.6, peer: 0.7, other: 0.9 })).toEqual([
      "- Work, x: 60 % (60 % to 60 %); other has 90 % (90 % to 90 %) and 1 more.",
    ]);
    expect(behind(metric, { hostside: 0.7, peer: 0.6 })).toEqual([]);
    expect(behind(metric, { hostside: 0.7, provider: 0.9, floor: 1 })).toEqual([]);
  });

  it("hides nothing that failed", () => {
    const failed: Row = {
      adapter: "hostside",
      name: "hostside",
      version: "",
      values: {},
      failures: 3,
      failure: "x",
    };
    const metric: Metric = { name: "m", label: "x", as: "ratio" };
    expect(whereBehind([workload(metric)], { w: [failed] })).toEqual(["- Work: x: failed: x."]);
    expect(whereBehind([workload(metric)], { w: [{ ...failed, adapter: "peer" }] })).toEqual([
      "- Work: x: not measured.",
    ]);
  });
});

describe("mergeResults", () => {
  it("keeps what others measured on another day, and says so", () => {
    const metric: Metric = { name: "m", label: "x", as: "ratio" };
    const merged = mergeResults(results({ hostside: 1 }), results({ hostside: 2, peer: 3 }), "2026-01-01");
    const table = toTable([workload(metric)], merged);
    expect(table).toContain("| hostside<br>1.0.0 | peer<br>1.0.0<br>2026-01-01 |");
    expect(table).toContain("| 1.00 (1.00 to 1.00) | 3.00 (3.00 to 3.00) |");
    expect(mergeResults({}, merged, "2026-02-02")["w"]?.map(({ date }) => date)).toEqual(["2026-02-02", "2026-01-01"]);
  });

  it("says the day in the cells where the rows of a contender have different ones", () => {
    const metric: Metric = { name: "m", label: "x", as: "ratio" };
    const other = { ...workload(metric), id: "v", title: "More" };
    const before = { ...results({ peer: 3 }), v: results({ peer: 4 })["w"] ?? [] };
    const merged = mergeResults(results({ peer: 2 }), before, "2026-01-01");
    expect(toTable([workload(metric), other], merged).split("\n")).toEqual([
      "| | aim | peer<br>1.0.0 |",
      "|---|---|---|",
      "| Work: x |  | 2.00 (2.00 to 2.00) |",
      "| More: x |  | 4.00 (4.00 to 4.00)<br>2026-01-01 |",
    ]);
  });
});

function behind(metric: Metric, medians: Readonly<Record<string, number>>): readonly string[] {
  return whereBehind([workload(metric)], results(medians));
}

function workload(metric: Metric): Workload {
  return { id: "w", title: "Work", metrics: [metric], run: async () => ({}) };
}

function results(medians: Readonly<Record<string, number>>): Results {
  const rows = Object.entries(medians).map(([id, value]): Row => {
    const spread = { median: value, min: value, max: value };
    return { adapter: id, name: id, version: "1.0.0", values: { m: spread }, failures: 0 };
  });
  return { w: rows };
}
