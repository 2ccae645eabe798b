import { describe, expect, it } from "vitest";
import { behaviourTable, resultsPage, type RunResults } from "./results-page.ts";

const marks = ["behind", "machine", "speed", "steps", "behaviour", "growth"];
const run: RunResults = {
  machine: { node: "v24.0.0", cpu: "a processor", cores: 2, system: "linux x64", date: "2026-01-01", load: 0.5 },
  rounds: 3,
  results: new Map(),
  steps: [],
  observations: [{ adapter: "toolport", behaviour: "pages", name: "Toolport", seen: "1000 | all" }],
  growth: [],
};

describe("resultsPage", () => {
  it("writes between its marks, leaves the rest, and does the same again", () => {
    const page = marks.map((mark) => `About ${mark}.\n<!-- ${mark}: start -->\nold\n<!-- ${mark}: end -->`).join("\n");
    const once = resultsPage(page, run);
    expect(once).not.toContain("old");
    for (const mark of marks) expect(once).toContain(`About ${mark}.`);
    expect(once).toContain("Node v24.0.0, 2 cores");
    expect(resultsPage(once, run)).toBe(once);
  });

  it("refuses a page without a mark", () => {
    expect(() => resultsPage("nothing", run)).toThrow(TypeError);
  });
});

describe("behaviourTable", () => {
  it("has a contender a row and escapes what would end a cell", () => {
    expect(behaviourTable(run.observations).split("\n").at(-1)).toBe("| Toolport | 1000 \\| all |");
  });
});
