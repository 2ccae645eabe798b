import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTrackedFiles } from "../scripts/tracked-files.mjs";

const benchmark = readFileSync(new URL("../docs/explanation/benchmarks.md", import.meta.url), "utf8");

/** What the programs wrote that measured it, without what was written by hand around it. */
const measured = Array.from(
  benchmark.matchAll(/<!-- (\w+): start -->(.*?)<!-- \1: end -->/gs),
  ([, , text = ""]) => text,
).join("\n");

// Settings and examples, which nobody measures.
const settings: ReadonlyMap<string, readonly string[]> = new Map([
  ["packages/config/README.md", ["10 MB"]],
  ["packages/policy/README.md", ["200 ms"]],
]);

describe("figures in a README", () => {
  it.each(readTrackedFiles("*README.md"))("%s: every time, size and share was measured by the benchmark", (path) => {
    const strange = figuresOf(readFileSync(new URL(`../${path}`, import.meta.url), "utf8")).filter(
      (figure) => !measured.includes(figure) && settings.get(path)?.includes(figure) !== true,
    );
    expect(strange).toEqual([]);
  });

  it("are found in prose and tables, and not in code", () => {
    const text = "Starts in 52 ms.\n\n```ts\nwait(`90 ms`);\n```\n\n| `70 ms` | 1.08 MB | 200 % |";
    expect(figuresOf(text)).toEqual(["52 ms", "1.08 MB", "200 %"]);
  });

  it("are compared with some that the benchmark has", () => {
    expect(figuresOf(measured).length).toBeGreaterThan(100);
  });
});

function figuresOf(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/```.*?```/gs, "").replaceAll(/`[^`\n]*`/g, "");
  return Array.from(prose.matchAll(/\d[\d.,]* (?:ns|µs|ms|kB|MB|GB|%)(?!\w)/g), ([figure]) => figure);
}
