import { expect, it } from "vitest";
import { createTemporaryRepository } from "./temporary-tree.ts";

it("finds what pages and comments mention, and leaves blocks of code alone", async () => {
  await using tree = await createTemporaryRepository({
    "README.md": "See `docs/b.md` and `packages/a/src/a.ts`.\n\n```sh\ncat `docs/none.md`\n```\n",
    "docs/b.md": "# B\n",
    "packages/a/src/a.ts": "// See docs/b.md.",
  });
  expect(await tree.run("check-paths")).toEqual({ exitCode: 0, output: "3 paths" });
});

it.each([
  [
    "between backticks",
    { "README.md": "See `packages/a/src/none.ts`." },
    "README.md: packages/a/src/none.ts is not there",
  ],
  [
    "that is shortened",
    { "docs/a.md": "See `link/none.ts`.", "src/none.ts": "" },
    "docs/a.md: there is no link/none.ts",
  ],
  ["in a comment", { "a.ts": "// See docs/none.md." }, "a.ts: docs/none.md is not there"],
])("fails for a path %s that leads nowhere", async (_, files, message) => {
  await using tree = await createTemporaryRepository(files);
  expect(await tree.run("check-paths")).toEqual({ exitCode: 1, output: message });
});
