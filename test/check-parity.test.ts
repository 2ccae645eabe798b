import { describe, expect, it } from "vitest";
import { createTemporaryRepository, type TemporaryTree } from "./temporary-tree.ts";

describe("check-parity", () => {
  it("writes a page of what tests name, ranges and rows of tables included, and then agrees with it", async () => {
    await using tree = await createRepository({
      "packages/a/src/a.test.ts": `it.each([["a row (AN-2)"]])("%s", () => {});\nit(\`holds (AN-3 to AN-5)\`, () => {});`,
    });
    expect(await tree.run("check-parity", "--write")).toEqual({
      exitCode: 0,
      output: "4 requirements that tests show",
    });
    expect(await tree.run("check-parity")).toMatchObject({ exitCode: 0 });
    const page = (await tree.runTool("cat", "docs/parity.md")).output;
    expect(page).toContain("## Shown by tests: 4 of 5");
    expect(page).toContain(
      "**AN-4** Four.\n\n- [packages/a/src/a.test.ts](../packages/a/src/a.test.ts): `holds (AN-3 to AN-5)`",
    );
    expect(page).toContain("## Not shown by a test yet: 1\n\n- **AN-1** One.");
  });

  it("fails when the page is out of date", async () => {
    await using tree = await createRepository({ "a.test.ts": `it("works (AN-1)", () => {});` });
    await tree.run("check-parity", "--write");
    await tree.write({ "a.test.ts": `it("works well (AN-1)", () => {});` });
    const { exitCode, output } = await tree.run("check-parity");
    expect(exitCode).toBe(1);
    expect(output).toContain("docs/parity.md is out of date");
  });

  it.each([
    ["an id without a sentence", { "a.test.ts": `it("works (AN-9)", () => {});` }, "a.test.ts: AN-9 has no sentence"],
    [
      "a comment",
      { "a.ts": `// Nothing.\n/** See AN-1. */\nexport const a = 1;` },
      "a.ts:2: AN-1 tells a reader nothing",
    ],
    ["a comment of a test", { "a.test.ts": `// AN-1\nit("works (AN-1)", () => {});` }, "a.test.ts:1: AN-1 tells"],
    [
      "a text that is no test's name",
      { "a.ts": `export const a = "AN-1";` },
      "a.ts: AN-1 stands in a text that names no test",
    ],
    ["another page", { "README.md": "As AN-1 asks." }, "README.md: AN-1 belongs into docs/parity.json alone"],
  ])("fails for %s", async (_, files, message) => {
    await using tree = await createRepository(files);
    const { exitCode, output } = await tree.run("check-parity");
    expect(exitCode).toBe(1);
    expect(output).toContain(message);
  });
});

function createRepository(files: Readonly<Record<string, string>>): Promise<TemporaryTree> {
  return createTemporaryRepository({
    "docs/parity.json": { "AN-1": "One.", "AN-2": "Two.", "AN-3": "Three.", "AN-4": "Four.", "AN-5": "Five." },
    "docs/parity.md": "",
    ...files,
  });
}
