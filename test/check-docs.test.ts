import { describe, expect, it } from "vitest";
import { createTemporaryTree } from "./temporary-tree.ts";

describe("check-docs", () => {
  const manifest = { name: "@x/a", exports: { ".": { "@hostside/source": "./src/index.ts" } } };

  it("accepts documented names, through re-exports and overloads", async () => {
    await using tree = await createTemporaryTree({
      "packages/a/package.json": manifest,
      "packages/a/src/index.ts": `export { run, type Options } from "./run.ts";\nexport { other } from "elsewhere";`,
      "packages/a/src/run.ts": `/** Runs. */\nexport function run(a: 1): void;\nexport function run(): void {}\nexport { type Options } from "./options.ts";`,
      "packages/a/src/options.ts": `/** How to run. */\nexport interface Options { a: 1 }`,
    });
    expect(await tree.run("check-docs")).toEqual({ exitCode: 0, output: "3 public names" });
  });

  it.each([
    ["no comment", `export function run(): void {}`],
    ["a line comment", `// Runs.\nexport function run(): void {}`],
    ["an ordinary block comment", `/* Runs. */\nexport function run(): void {}`],
    ["an empty block", `/** */\nexport function run(): void {}`],
    [
      "a block that belongs to something else",
      `/** The limit. */\nconst limit = 1;\nexport function run(): void { limit; }`,
    ],
  ])("refuses a public name with %s", async (_, source) => {
    await using tree = await createTemporaryTree({
      "packages/a/package.json": manifest,
      "packages/a/src/index.ts": `export { run } from "./run.ts";`,
      "packages/a/src/run.ts": source,
    });
    const refusal = { exitCode: 1, output: "packages/a/src/run.ts: run is public and has no JSDoc" };
    expect(await tree.run("check-docs")).toEqual(refusal);
  });

  it("refuses a wildcard export", async () => {
    await using tree = await createTemporaryTree({
      "packages/a/package.json": manifest,
      "packages/a/src/index.ts": `export * from "./run.ts";`,
    });
    expect((await tree.run("check-docs")).output).toContain("export * publishes names that nobody chose");
  });
});
