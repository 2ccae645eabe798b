import { describe, expect, it } from "vitest";
import { behaviourTable, partNames, resultsPage, type Measured } from "./results-page.ts";

const conditions = {
  node: "v24.0.0",
  cpu: "a processor",
  cores: 2,
  system: "linux x64",
  date: "2026-01-01",
  load: 0.5,
};
const page = ["behind", ...partNames]
  .map((mark) => `About ${mark}.\n<!-- ${mark}: start -->\nold ${mark}\n<!-- ${mark}: end -->`)
  .join("\n");
const all: Measured = {
  speed: { ...conditions, rounds: 3, results: {} },
  neighbours: { ...conditions, rounds: 1, results: {} },
  steps: { ...conditions, rounds: 9, results: [] },
  behaviour: {
    ...conditions,
    results: [{ adapter: "hostside", behaviour: "pages", name: "Hostside", seen: "1000 | all" }],
  },
  growth: { ...conditions, results: [] },
};

describe("resultsPage", () => {
  it("writes between its marks, leaves the rest, and does the same again", () => {
    const once = resultsPage(page, all);
    expect(once).not.toContain("old");
    for (const mark of ["behind", ...partNames]) expect(once).toContain(`About ${mark}.`);
    expect(once).toContain("Node v24.0.0, 2 cores (a processor), linux x64, 3 rounds; the 5-minute");
    expect(once).toContain("linux x64, 1 round; the 5-minute");
    expect(resultsPage(once, all)).toBe(once);
  });

  it("leaves the parts that were never measured", () => {
    const { growth: _growth, ...others } = all;
    const once = resultsPage(page, others);
    expect(once).toContain("old growth");
    expect(once.match(/old/g)).toHaveLength(1);
  });

  it("refuses a page without a mark", () => {
    expect(() => resultsPage("nothing", all)).toThrow(TypeError);
  });
});

describe("behaviourTable", () => {
  it("has a contender a row and escapes what would end a cell", () => {
    const table = behaviourTable(all.behaviour?.results ?? []);
    expect(table.split("\n").at(-1)).toBe("| Hostside | 1000 \\| all |");
  });
});
