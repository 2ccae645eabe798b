import { expect, it } from "vitest";
import { createTemporaryRepository, type TemporaryTree } from "./temporary-tree.ts";

const glossary = `# Glossary

## Words that are not used

| not | but | where |
|---|---|---|
| told, untold | report | names |
| oddity | anomaly | names and pages |
| catalog | catalogue | pages |
`;

it("accepts words in comments and texts of code, and what a page has between backticks", async () => {
  await using tree = await createRepository({
    "src/report.ts": `// What we are told.\nexport const catalogReport: string = "told";\nexport const toldo = 1;`,
    "README.md": "The catalogue, `catalog` in code, is [here](catalog.md).\n\n```ts\nconst oddity = 1;\n```\n",
  });
  expect(await tree.run("check-words")).toMatchObject({ exitCode: 0 });
});

it.each([
  ["an identifier", { "a.ts": "export function isTold(): void {}" }, `a.ts: "told" in isTold; say report`],
  ["a member of a type", { "a.ts": "export interface A { untold: 1 }" }, `a.ts: "untold" in untold; say report`],
  ["a file", { "src/oddity-report.ts": "" }, `src/oddity-report.ts: "oddity"; say anomaly`],
  ["a page", { "docs/a.md": "Look into the Catalog." }, `docs/a.md: "catalog"; say catalogue`],
])("fails for a word in the name of %s", async (_, files, message) => {
  await using tree = await createRepository(files);
  expect(await tree.run("check-words")).toEqual({ exitCode: 1, output: message });
});

it("fails when the glossary has no such table", async () => {
  await using tree = await createTemporaryRepository({ "docs/reference/glossary.md": "# Glossary\n", "a.ts": "" });
  expect(await tree.run("check-words")).toMatchObject({ exitCode: 1, output: expect.stringContaining("is gone") });
});

function createRepository(files: Readonly<Record<string, string>>): Promise<TemporaryTree> {
  return createTemporaryRepository({ "docs/reference/glossary.md": glossary, ...files });
}
