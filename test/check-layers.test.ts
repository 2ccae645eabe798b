import { cruise, type IConfiguration } from "dependency-cruiser";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createTemporaryTree, type TemporaryTree } from "./temporary-tree.ts";

const config = fileURLToPath(new URL("../.dependency-cruiser.mjs", import.meta.url));

const layers = {
  packages: {
    "@x/core": [],
    "@x/naming": ["@x/core", "hash"],
    "@x/transports": ["@x/core"],
    "@x/transports/src/stdio": ["node:*"],
    "@x/transports/src/http/on-node.ts": ["node:*", "sdk"],
  },
  folders: {},
};

describe("the rules of layers.json", () => {
  it("accept imports downwards and of own files", async () => {
    await using tree = await createTree({
      "packages/core/src/index.ts": `export const a = 1;`,
      "packages/naming/src/index.ts": `import { a } from "@x/core";\nimport { b } from "./b.ts";\nimport hash from "hash/sha2.js";`,
      "packages/naming/src/b.ts": `export const b = 1;`,
      "packages/transports/src/stdio/open.ts": `import { spawn } from "node:child_process";`,
      "packages/transports/src/http/on-node.ts": `import type { Client } from "sdk";`,
    });
    const { exitCode, output } = await checkByCommand(tree);
    expect(output).toContain("no dependency violations found");
    expect(exitCode).toBe(0);
  });

  it("refuse every form of import that the layer may not have", async () => {
    const imports = {
      static: `import { b } from "@x/naming";`,
      bare: `import "@x/naming";`,
      dynamic: `const b = await import("@x/naming");`,
      "re-export": `export { b } from "@x/naming";`,
      wildcard: `export * from "@x/naming";`,
      type: `import type { B } from "@x/naming";`,
      "inline-type": `export type B = import("@x/naming").B;`,
      subpath: `import { b } from "@x/naming/sub";`,
      "built-in": `import { readFile } from "node:fs";`,
      "bare-built-in": `import { readFile } from "fs";`,
      "third-party": `import { z } from "zod";`,
      relative: `import { b } from "../../naming/src/index.ts";`,
    };
    const files = Object.entries(imports).map(([form, source]) => [`packages/core/src/${form}.ts`, source]);
    await using tree = await createTree({
      ...Object.fromEntries(files),
      "packages/naming/src/index.ts": `export const b = 1;`,
    });
    const { exitCode, output } = await checkByCommand(tree);
    expect(exitCode).not.toBe(0);
    for (const form of Object.keys(imports)) {
      expect(output).toContain(`error @x/core may not import this: packages/core/src/${form}.ts →`);
    }
  });

  it("see a package that is installed, whose code lies in its dist", async () => {
    await using tree = await createTree({
      "node_modules/zod/package.json": { name: "zod", type: "module", exports: "./dist/index.js" },
      "node_modules/zod/dist/index.js": `export const z = 1;`,
      "packages/core/src/index.ts": `import { z } from "zod";`,
    });
    expect((await check(tree)).output).toContain("error @x/core may not import this: packages/core/src/index.ts →");
  });

  it("refuse the file of a package that may be imported by its name alone", async () => {
    await using tree = await createTree({
      "packages/core/src/index.ts": `export const a = 1;`,
      "packages/naming/src/index.ts": `import { a } from "../../core/src/index.ts";`,
    });
    expect((await check(tree)).output).toContain("nobody reaches into the files of another package");
  });

  it("allow a folder or a file more than its package, and only that one", async () => {
    await using tree = await createTree({
      "packages/transports/src/stdio/deep/open.ts": `import { spawn } from "node:child_process";`,
      "packages/transports/src/http/on-node.ts": `import { request } from "node:http";\nimport { Client } from "sdk";`,
      "packages/transports/src/http/open.ts": `import { request } from "node:http";`,
      "packages/transports/src/connection/open.ts": `import type { Client } from "sdk";`,
      "packages/transports/src/stdio-noise/open.ts": `import { spawn } from "node:child_process";`,
    });
    expect(errorsOf((await check(tree)).output)).toEqual([
      "@x/transports may not import this: packages/transports/src/connection/open.ts → sdk",
      "@x/transports may not import this: packages/transports/src/http/open.ts → http",
      "@x/transports may not import this: packages/transports/src/stdio-noise/open.ts → child_process",
    ]);
  });

  it("hold for folders, too: no import of a higher one, of a neighbour or of the entries, types included", async () => {
    await using tree = await createTree({
      "layers.json": {
        packages: layers.packages,
        folders: {
          "packages/transports/src": [
            ["bytes", "text"],
            ["http", "http/sse"],
          ],
        },
      },
      "packages/transports/src/index.ts": `export type { Open } from "./http/open.ts";\nimport "./http/sse/read.ts";`,
      "packages/transports/src/http/open.ts": `import type { Bytes } from "../bytes/bytes.ts";\nimport { read } from "./sse/read.ts";\nexport interface Open { bytes: Bytes }`,
      "packages/transports/src/http/sse/read.ts": `import { text } from "../../text/text.ts";\nexport const read = text;`,
      "packages/transports/src/bytes/bytes.ts": `import type { Open } from "../http/open.ts";\nexport interface Bytes { open: Open }`,
      "packages/transports/src/text/text.ts": `import type { Bytes } from "../bytes/bytes.ts";\nimport type { Open } from "../index.ts";\nexport const text = 1;`,
    });
    expect(errorsOf((await check(tree)).output)).toEqual([
      "bytes is not above this: packages/transports/src/bytes/bytes.ts → packages/transports/src/http/open.ts",
      "http is not above this: packages/transports/src/http/open.ts → packages/transports/src/http/sse/read.ts",
      "text is not above this: packages/transports/src/text/text.ts → packages/transports/src/bytes/bytes.ts",
      "text is not above this: packages/transports/src/text/text.ts → packages/transports/src/index.ts",
    ]);
  });

  it("leave tests alone, and mentions in comments and strings", async () => {
    await using tree = await createTree({
      "packages/core/src/a.test.ts": `import "@x/naming";`,
      "packages/core/src/a.ts": `// import "zod";\nexport const a = 'import "zod"';`,
    });
    expect(await check(tree)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    [
      "a published package without a row",
      { "fixtures/package.json": { name: "@x/fixtures" } },
      "fixtures: @x/fixtures has no row",
    ],
    [
      "a row without a package",
      { "packages/core/src/a.ts": "", "layers.json": { packages: { ...layers.packages, "@x/gone": [] }, folders: {} } },
      "no package @x/gone",
    ],
    [
      "a folder without a layer",
      { "layers.json": { ...layers, folders: { "packages/core/src": [["a"]] } }, "packages/core/src/b/b.ts": "" },
      "packages/core/src/b has no layer",
    ],
  ])("fail for %s", async (_, files, message) => {
    await using tree = await createTree(files);
    await expect(check(tree)).rejects.toThrow(message);
  });

  it("fail for nothing to look at, as a command, too", async () => {
    await using tree = await createTree({});
    const { exitCode, output } = await checkByCommand(tree);
    expect(exitCode).not.toBe(0);
    expect(output).toContain("nothing to look at");
  });
});

type Verdict = Awaited<ReturnType<TemporaryTree["runTool"]>>;

/** As `pnpm check layers` does it. */
function checkByCommand(tree: TemporaryTree): Promise<Verdict> {
  return tree.runTool("depcruise", "--config", config, "packages/*/src");
}

/**
 * The same in this process, which takes a twentieth of the time. Throws what the making of the
 * rules throws, for which the command fails.
 */
async function check({ folder }: TemporaryTree): Promise<Verdict> {
  const home = process.cwd();
  process.chdir(folder);
  try {
    // The rules come of the files of the folder: each tree needs its own copy of the module that
    // makes them.
    const url = `${pathToFileURL(config).href}?tree=${encodeURIComponent(folder)}`;
    const { forbidden, options } = ((await import(/* @vite-ignore */ url)) as { default: IConfiguration }).default;
    const ruleSet = { forbidden: forbidden ?? [] };
    const { exitCode, output } = await cruise(["packages/*/src"], {
      ...options,
      ruleSet,
      validate: true,
      outputType: "err",
    });
    if (typeof output !== "string") throw new TypeError("the report is a text");
    return { exitCode, output };
  } finally {
    process.chdir(home);
  }
}

function errorsOf(output: string): readonly string[] {
  return [...output.matchAll(/^\s*error (.*)$/gm)].map(([, error = ""]) => error.trim()).sort();
}

function createTree(files: Readonly<Record<string, unknown>>): Promise<TemporaryTree> {
  return createTemporaryTree({
    "layers.json": layers,
    "packages/core/package.json": { name: "@x/core" },
    "packages/naming/package.json": { name: "@x/naming" },
    "packages/transports/package.json": { name: "@x/transports" },
    ...files,
  });
}
