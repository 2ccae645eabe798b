import { transform } from "esbuild";
import { execa, execaNode } from "execa";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promisedOutput, readBlocks, writeBlocks, type ReadmeBlock } from "./readme-blocks.ts";

describe("code in the documentation", () => {
  let blocks: readonly ReadmeBlock[] = [];
  let removeBlocks = async (): Promise<void> => {};

  beforeAll(async () => {
    blocks = await readBlocks(await findPages());
    removeBlocks = await writeBlocks(blocks);
  });
  afterAll(() => removeBlocks());

  it("type-checks, every ts block of every page", async () => {
    expect(blocks.map(({ source }) => source)).toContain("README.md");
    const config = ".ci/tsconfig.readme.json";
    await writeFile(config, JSON.stringify(await createConfig(blocks)));
    try {
      const { stdout } = await execa("node_modules/.bin/tsc", ["-p", config], { reject: false });
      expect(stdout).toBe("");
    } finally {
      await rm(config);
    }
  });

  it("prints what the root README says it prints", async () => {
    const examples = blocks.filter(({ source }) => source === "README.md");
    for (const { file, code } of examples) {
      const program = file.replace(/\.ts$/, ".mjs");
      await writeFile(program, (await transform(code, { loader: "ts", target: "node20" })).code);
      // As a user runs it: from a folder that has the packages, against the built files.
      const { stdout } = await execaNode(resolve(program), { nodeOptions: [], cwd: "examples", timeout: 60_000 });
      expect(stdout.split("\n")).toEqual(promisedOutput(code));
    }
  }, 90_000);

  it("starts before line 20 of the root README and has at most 12 lines", () => {
    const [first] = blocks.filter(({ source }) => source === "README.md");
    expect(first?.line).toBeLessThan(20);
    expect(first?.code.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
  });
});

async function findPages(): Promise<string[]> {
  const folders = (await readdir("packages")).map((name) => join("packages", name));
  const readmes = ["", ...folders, "fixtures", "conformance", "bench", "examples"].map((name) =>
    join(name, "README.md"),
  );
  const docs = await readdir("docs", { recursive: true });
  return [...readmes, ...docs.filter((path) => path.endsWith(".md")).map((path) => join("docs", path))];
}

async function createConfig(files: readonly ReadmeBlock[]): Promise<object> {
  const paths: Record<string, string[]> = {};
  for (const folder of [...(await readdir("packages")).map((name) => join("packages", name)), "fixtures"]) {
    const { name } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name: string }; // Our own manifest.
    paths[name] = [resolve(folder, "src/index.ts")];
  }
  return {
    extends: "../tsconfig.json",
    compilerOptions: { checkJs: false, noUnusedLocals: false, noUnusedParameters: false, paths },
    include: [],
    files: files.map(({ file }) => resolve(file)),
  };
}
