import { describe, expect, it } from "vitest";
import { createTemporaryRepository } from "./temporary-tree.ts";

describe("check-links", () => {
  it("follows paths and fragments, and ignores what only looks like a link", async () => {
    await using tree = await createTemporaryRepository({
      "README.md":
        "# A\n[b](docs/b.md#two-words-in-code) [self](#a) [root](/docs/b.md) [out](https://example.com/nowhere)\n`[x](nowhere.md)`\n",
      "docs/b.md": "# B\n## Two words in `code`\n```md\n[y](nowhere.md)\n```\n[up][up]\n\n[up]: ../README.md\n",
      "src/a.ts": "// See docs/b.md#b.",
    });
    expect(await tree.run("check-links")).toEqual({ exitCode: 0, output: "5 links" });
  });

  it.each([
    ["a missing file", "[a](docs/none.md)", "docs/none.md is not there"],
    ["a missing path between backticks", "See `packages/a/src/none.ts`.", "/packages/a/src/none.ts is not there"],
    ["a missing fragment", "[a](#none)", "#none has no heading or anchor for #none"],
    ["a folder outside of the repository", "[a](..)", ".. is not there"],
    ["a heading that is inside a code block", "[a](#code)\n```md\n# Code\n```", "has no heading or anchor for #code"],
  ])("refuses a link to %s", async (_, text, problem) => {
    await using tree = await createTemporaryRepository({ "README.md": `# Title\n${text}\n` });
    const { exitCode, output } = await tree.run("check-links");
    expect(exitCode).toBe(1);
    expect(output).toContain(problem);
  });
});
