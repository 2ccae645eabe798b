import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryRepository, type TemporaryTree } from "./temporary-tree.ts";

const files = {
  "packages/a/package.json": {
    exports: { ".": { "@hostside/source": "./src/index.ts" }, "./package.json": "./package.json" },
  },
  "packages/a/src/index.ts": `export { send, type SendOptions } from "./calls/send.ts";\n`,
  "packages/a/src/calls/send.ts": `import { queue } from "../queue/queue.ts";

/** Where a message goes, and by which way. Sends a message to the queue. */
export function send(message: string): void {
  // The queue keeps the order.
  queue.push(message);
}

export interface SendOptions {
  readonly timeoutMs?: number;
}

export const sendFields: Fields<SendOptions> = { timeoutMs: true };
`,
  "packages/a/src/queue/queue.ts": "export const queue: string[] = [];\n",
  "packages/a/src/queue/queue.test.ts": "export const ignored = 1;\n",
  "conformance/src/kit.ts": "export const kit = 1;\nexport const checks = 2;\n",
  "docs/page.md": "# Page\n\nThe queue keeps the order of messages. It drops nothing at all.\n",
};

it("writes what it measures, and accepts it", async () => {
  await using tree = await createBudgetedRepository();
  expect(await tree.run("check-size")).toEqual({ exitCode: 0, output: "4 files of code" });
  expect(await readBudget(tree)).toEqual({
    code: { total: 10, packages: { a: 10 } },
    codeWithKit: { total: 12, packages: { a: 10, conformance: 2 } },
    files: { total: 3, packages: { a: 3 } },
    loneSmallFiles: { total: 2, packages: { a: 2 } },
    names: { total: 2, packages: { a: 2 } },
    options: { total: 1, packages: { a: 1 } },
    folderCircles: { total: 0, packages: { a: 0 } },
    wideComments: { total: 0, packages: { a: 0 } },
    exportStars: { total: 0, packages: { a: 0 } },
    oddStartsInDocComments: { total: 50, packages: { a: 50 } },
    wordsPerSentenceInDocs: { total: 6 },
    longSentencesInDocs: { total: 0 },
  });
});

it.each([
  ["code", { "packages/a/src/more.ts": "const one = 1;\n" }, "code: 11, 1 over the budget: a +1"],
  ["code of a new package", createPackage("b"), "code: 11, 1 over the budget: b +1"],
  ["code of the kit", { "fixtures/src/a.ts": "const one = 1;\n" }, "codeWithKit: 13, 1 over the budget: fixtures +1"],
  ["files", { "packages/a/src/more.ts": "" }, "files: 4, 1 over the budget: a +1"],
  ["small files with one importer", importOnce("send"), "loneSmallFiles: 3, 1 over the budget: a +1"],
  [
    "public names",
    { "packages/a/src/index.ts": "export const x = 1, y = 2;\nexport type A = 1;\nexport { b, c };" },
    "names: 4",
  ],
  [
    "options",
    { "packages/a/src/more.ts": "const f: Fields<A> = { b: true, c: true };" },
    "options: 3, 2 over the budget",
  ],
  ["circles of folders", importOnce("../calls/send"), "folderCircles: 1, 1 over the budget: a +1"],
  ["wide comments", { "packages/a/src/more.ts": `// ${"x".repeat(98)}` }, "wideComments: 1, 1 over the budget: a +1"],
  ["export *", { "packages/a/src/more.ts": `export * from "./index.ts";` }, "exportStars: 1, 1 over the budget: a +1"],
  [
    "doc comments",
    { "packages/a/src/more.ts": "/** Who asks is told. */" },
    "oddStartsInDocComments: 66.7, 16.7 over the budget",
  ],
  [
    "long sentences",
    { "docs/more.md": `Word${" word".repeat(30)}.` },
    "longSentencesInDocs: 33.3, 33.3 over the budget",
  ],
])("fails for more %s, by how much and where", async (_, more, message) => {
  await using tree = await createBudgetedRepository();
  await tree.write(more);
  expect(await tree.run("check-size")).toMatchObject({ exitCode: 1, output: expect.stringContaining(message) });
});

it("accepts lower values with a note, and lowers the budget when asked", async () => {
  await using tree = await createBudgetedRepository();
  await tree.write({ "conformance/src/kit.ts": "export const kit = 1;\n" });
  const note = "codeWithKit: 11, below the budget of 12; `node scripts/check-size.mjs --write` lowers it";
  expect(await tree.run("check-size")).toEqual({ exitCode: 0, output: `${note}\n4 files of code` });
  expect(await tree.run("check-size", "--write")).toMatchObject({ exitCode: 0 });
  expect(await readBudget(tree)).toMatchObject({ codeWithKit: { total: 11 } });
});

it("raises no value, and then writes nothing", async () => {
  await using tree = await createBudgetedRepository();
  const before = await readBudget(tree);
  await tree.write({ "packages/a/src/more.ts": "const one = 1;\n", "conformance/src/kit.ts": "" });
  expect(await tree.run("check-size", "--write")).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("code: 11, 1 over the budget"),
  });
  expect(await readBudget(tree)).toEqual(before);
});

it("fails for a value without a budget", async () => {
  await using tree = await createTemporaryRepository(files);
  expect(await tree.run("check-size")).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("budget.json: has no code; `node scripts/check-size.mjs --write` adds it"),
  });
});

async function createBudgetedRepository(): Promise<TemporaryTree> {
  const tree = await createTemporaryRepository(files);
  await tree.run("check-size", "--write");
  return tree;
}

async function readBudget(tree: TemporaryTree): Promise<unknown> {
  return JSON.parse(await readFile(join(tree.folder, "budget.json"), "utf8"));
}

function createPackage(name: string): Readonly<Record<string, unknown>> {
  return { [`packages/${name}/package.json`]: {}, [`packages/${name}/src/index.ts`]: "const one = 1;\n" };
}

function importOnce(path: string): Readonly<Record<string, unknown>> {
  const importer = "packages/a/src/queue/queue.ts";
  return {
    [importer]: `import "${path.startsWith(".") ? path : `./${path}`}.ts";\nexport const queue: string[] = [];\n`,
    "packages/a/src/queue/send.ts": "",
  };
}
