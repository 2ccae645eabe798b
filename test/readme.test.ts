import { transform } from "esbuild";
import { execa, execaNode } from "execa";
import { rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readTrackedFiles } from "../scripts/tracked-files.mjs";
import { readWorkspace } from "../scripts/workspace.mjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promisedOutput, readBlocks, writeBlocks, type ReadmeBlock } from "./readme-blocks.ts";

describe("code in the documentation", () => {
  let blocks: readonly ReadmeBlock[] = [];
  let removeBlocks = async (): Promise<void> => {};

  beforeAll(async () => {
    blocks = await readBlocks(readTrackedFiles("*.md"));
    removeBlocks = await writeBlocks(blocks);
  });
  afterAll(() => removeBlocks());

  it("type-checks, every ts block of every page", async () => {
    expect(blocks.map(({ source }) => source)).toContain("README.md");
    const config = ".ci/tsconfig.readme.json";
    await writeFile(config, JSON.stringify(createConfig(blocks)));
    try {
      const { stdout } = await execa("node_modules/.bin/tsc", ["-p", config], { reject: false });
      expect(stdout).toBe("");
    } finally {
      await rm(config);
    }
  }, 90_000);

  it("prints what the root README says it prints", async () => {
    const examples = blocks.filter(({ source }) => source === "README.md");
    for (const { file, code } of examples) {
      const program = file.replace(/\.ts$/, ".mjs");
      await writeFile(program, (await transform(code, { loader: "ts", target: "node20" })).code);
      // As a user runs it: from a folder that has the packages, against the built files.
      const { stdout } = await execaNode(resolve(program), { nodeOptions: [], cwd: "examples", timeout: 60_000 });
      expect(stdout).toBe(promisedOutput(code).join("\n"));
    }
  }, 90_000);

  it("starts before line 20 of the root README and has at most 12 lines", () => {
    const [first] = blocks.filter(({ source }) => source === "README.md");
    expect(first?.line).toBeLessThan(20);
    expect(first?.code.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
  });
});

function createConfig(blocks: readonly ReadmeBlock[]): object {
  const packages = readWorkspace().filter(({ manifest }) => manifest.exports !== undefined);
  return {
    extends: "../tsconfig.json",
    compilerOptions: {
      checkJs: false,
      // An example may show what it does not use.
      noUnusedLocals: false,
      // As a user has the packages: by their declarations, which are read in half the time of their
      // sources.
      customConditions: [],
      paths: Object.fromEntries(
        packages.map(({ folder, manifest }) => [manifest.name, [resolve(folder, "dist/index.d.ts")]]),
      ),
    },
    include: [],
    files: blocks.map(({ file }) => resolve(file)),
  };
}
