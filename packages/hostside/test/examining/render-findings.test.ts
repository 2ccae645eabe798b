import { expect, it } from "vitest";
import { renderFindings } from "../../src/cli/examining/finding.ts";
import { painter } from "../../src/cli/terminal.ts";

const page = { paint: painter(false), isLive: false, columns: 40 };

it("puts the worst first, evidence and what mends it below, and says last how much there is to do", () => {
  const text = renderFindings(
    [
      { level: "ok", area: "machine", what: "Node 22.1.0", evidence: ["not shown"] },
      { level: "ok", area: "connection", server: "files", what: "up" },
      { level: "ok", area: "connection", server: "well", what: "up" },
      { level: "advice", area: "connection", server: "files", what: "is slow", mend: { text: "wait" } },
      {
        level: "problem",
        area: "tools",
        server: "files",
        what: "is odd",
        evidence: ["so", "it is"],
        mend: { command: "hostside x" },
      },
      { level: "advice", area: "tools", what: "is dear" },
    ],
    page,
  );
  expect(text.split("\n")).toEqual([
    "This machine",
    "  ✓ Node 22.1.0",
    "",
    "files",
    "  ✗ is odd",
    "      so",
    "      it is",
    "      run hostside x",
    "  ! is slow",
    "      → wait",
    "  ✓ up",
    "",
    "well",
    "  ✓ up",
    "",
    "All servers",
    "  ! is dear",
    "",
    "1 problem, 2 pieces of advice",
    "",
  ]);
});

it("wraps for a terminal, and nothing that is to be copied", () => {
  const what = "one two three four five six seven eight nine ten eleven";
  const command = `hostside ${"long ".repeat(20)}`;
  const text = renderFindings([{ level: "problem", area: "tools", server: "a", what, mend: { command } }], {
    ...page,
    isLive: true,
  });
  expect(text.split("\n").slice(1, 4)).toEqual([
    "  ✗ one two three four five six seven",
    "      eight nine ten eleven",
    `      run ${command}`,
  ]);
});

it("counts what it leaves out", () => {
  const many = Array.from(
    { length: 30 },
    () => ({ level: "problem", area: "configuration", what: "is wrong" }) as const,
  );
  expect(renderFindings(many, page)).toMatch(/… and 5 more; --json has all\n\n30 problems\n$/);
  expect(renderFindings([], page)).toBe("no problems\n");
});
