import { describe, expect, it } from "vitest";
import { createTemporaryTree, type TemporaryTree } from "./temporary-tree.ts";

const layers = {
  "@x/core": [],
  "@x/naming": ["@x/core", "hash"],
  "@x/transports": ["@x/core"],
  "@x/transports/src/stdio": ["node:*"],
  "@x/transports/src/http/on-node.ts": ["node:*"],
};

describe("check-layers", () => {
  it("accepts imports downwards, of own files and of own #imports", async () => {
    await using tree = await createTree({
      "packages/core/src/index.ts": `export const a = 1;`,
      "packages/naming/src/index.ts": `import { a } from "@x/core";\nimport { b } from "./b.ts";\nimport hash from "hash/sha2.js";\nimport "#own";`,
      "packages/transports/src/stdio/open.ts": `import { spawn } from "node:child_process";`,
    });
    expect(await tree.run("check-layers")).toEqual({ exitCode: 0, output: "3 source files" });
  });

  it.each([
    ["a static import", `import { b } from "@x/naming";`],
    ["a bare import", `import "@x/naming";`],
    ["a dynamic import", `const b = await import("@x/naming");`],
    ["a computed import", `const b = await import(name);`],
    ["a re-export", `export { b } from "@x/naming";`],
    ["a wildcard re-export", `export * from "@x/naming";`],
    ["a type import", `import type { B } from "@x/naming";`],
    ["an inline type import", `export type B = import("@x/naming").B;`],
    ["a subpath", `import { b } from "@x/naming/sub";`],
    ["a Node built-in", `import { readFile } from "node:fs";`],
    ["a Node built-in without its prefix", `import { readFile } from "fs";`],
    ["a third-party package", `import { z } from "zod";`],
    ["a file of another package", `import { b } from "../../naming/src/index.ts";`],
  ])("refuses %s that the layer may not have", async (_, source) => {
    await using tree = await createTree({ "packages/core/src/bad.ts": source });
    const { exitCode, output } = await tree.run("check-layers");
    expect(exitCode).toBe(1);
    expect(output).toContain("packages/core/src/bad.ts: ");
  });

  it("allows a folder or a file more than its package, and only that one", async () => {
    await using tree = await createTree({
      "packages/transports/src/stdio/deep/open.ts": `import { spawn } from "node:child_process";`,
      "packages/transports/src/http/on-node.ts": `import { request } from "node:http";`,
      "packages/transports/src/http/open.ts": `import { request } from "node:http";`,
      "packages/transports/src/stdio-noise/open.ts": `import { spawn } from "node:child_process";`,
    });
    const { output } = await tree.run("check-layers");
    expect(output).toBe(
      "packages/transports/src/http/open.ts: @x/transports may not import node:http\n" +
        "packages/transports/src/stdio-noise/open.ts: @x/transports may not import node:child_process",
    );
  });

  it("leaves tests alone, and mentions in comments and strings", async () => {
    await using tree = await createTree({
      "packages/core/src/a.test.ts": `import "@x/naming";`,
      "packages/core/src/a.ts": `// import "zod";\nexport const a = 'import "zod"';`,
    });
    expect(await tree.run("check-layers")).toMatchObject({ exitCode: 0 });
  });

  it("refuses a dependency that the layer may not have, also when nothing imports it", async () => {
    await using tree = await createTree({
      "packages/core/src/index.ts": "",
      "packages/core/package.json": { name: "@x/core", dependencies: { "left-pad": "1.0.0" } },
    });
    expect((await tree.run("check-layers")).output).toBe("packages/core/package.json: may not depend on left-pad");
  });

  it("refuses a published package without a row, and rows that form a circle", async () => {
    await using tree = await createTree({
      "layers.json": { "@x/core": ["@x/naming"], "@x/naming": ["@x/core"], "@x/transports": [] },
      "packages/core/src/index.ts": "",
      "fixtures/package.json": { name: "@x/fixtures" },
      "bench/package.json": { name: "@x/bench", private: true },
    });
    const { exitCode, output } = await tree.run("check-layers");
    expect(exitCode).toBe(1);
    expect(output).toContain("fixtures: @x/fixtures has no row in layers.json");
    expect(output).toContain("layers.json: a circle, @x/core -> @x/naming -> @x/core");
    expect(output).not.toContain("bench");
  });

  it("fails when there was nothing to look at", async () => {
    await using tree = await createTree({});
    expect((await tree.run("check-layers")).exitCode).toBe(1);
  });
});

function createTree(files: Readonly<Record<string, unknown>>): Promise<TemporaryTree> {
  return createTemporaryTree({
    "layers.json": layers,
    "packages/core/package.json": { name: "@x/core" },
    "packages/naming/package.json": { name: "@x/naming" },
    "packages/transports/package.json": { name: "@x/transports" },
    ...files,
  });
}
