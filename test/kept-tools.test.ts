import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readPublicPackages } from "../scripts/workspace.mjs";
import { createTemporaryRepository, createTemporaryTree } from "./temporary-tree.ts";

// What the configuration of this repository makes tools of others refuse: each rule is seen to fail
// here.

it("oxlint refuses circles of files, computed imports, files that are too long and names that are not kebab-case", async () => {
  await using tree = await createTemporaryTree({
    "tsconfig.json": {},
    // Its rules for some folders go by where it lies.
    ".oxlintrc.json": readFileSync(pathOf(".oxlintrc.json"), "utf8"),
    "packages/a/src/a.ts": `import type { B } from "./b.ts";\nexport interface A { b: B }\n`,
    "packages/a/src/b.ts": `import type { A } from "./a.ts";\nexport interface B { a: A }\n`,
    "packages/a/src/load.ts": `export const load = (name: string): Promise<unknown> => import(name);\n`,
    "packages/a/src/long.ts": `console;\n`.repeat(401),
    "packages/a/src/camelCase.ts": `export const a = 1;\n`,
  });
  const { exitCode, output } = await tree.runTool("oxlint", "--format=unix");
  expect(exitCode).toBe(1);
  expect(problemsOf(output, /no-cycle|no-dynamic-require|max-lines|filename-case/)).toEqual([
    "packages/a/src/a.ts import(no-cycle)",
    "packages/a/src/b.ts import(no-cycle)",
    "packages/a/src/camelCase.ts unicorn(filename-case)",
    "packages/a/src/load.ts import(no-dynamic-require)",
    "packages/a/src/long.ts eslint(max-lines)",
  ]);
});

it("remark refuses links to files and headings that are not there, and leaves code alone", async () => {
  await using tree = await createTemporaryTree({
    "README.md":
      "# Title\n\n[a](docs/none.md) [b](#none) [c](docs/c.md#gone) [d][d] [out](https://example.com/none)\n\n[d]: none.md\n\n`[x](none.md)`\n",
    "docs/c.md": "# Two `words`\n\n[up](../README.md#title) [here](#two-words)\n",
  });
  const { exitCode, output } = await tree.runTool(
    "remark",
    "--rc-path",
    pathOf(".remarkrc.json"),
    ".",
    "--frail",
    "--quiet",
    "--no-stdout",
    "--no-color",
  );
  expect(exitCode).toBe(1);
  expect(output).toContain("`docs/none.md`");
  expect(output).toContain("`#none`");
  expect(output).toContain("`#gone` in `docs/c.md`");
  expect(output).toContain("`none.md`");
  expect(output).toContain("4 warnings");
});

it("changesets refuses a changed package without a word to its users, and a word about no package", async () => {
  await using tree = await createTemporaryRepository({
    "package.json": { name: "x", private: true, workspaces: ["packages/*"] },
    "package-lock.json": { name: "x", lockfileVersion: 3, packages: {} },
    "packages/a/package.json": { name: "@x/a", version: "0.0.0" },
    ".changeset/config.json": { baseBranch: "main" },
  });
  await tree.git("checkout", "--quiet", "-b", "main");
  await tree.git("add", ".");
  await tree.git("commit", "--quiet", "-m", "one");
  await tree.git("checkout", "--quiet", "-b", "change");
  await tree.write({ "packages/a/a.ts": "" });
  await tree.git("add", ".");
  await tree.git("commit", "--quiet", "-m", "two");
  expect(await tree.runTool("changeset", "status")).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("no changesets were found"),
  });
  await tree.write({ ".changeset/told.md": '---\n"@x/b": minor\n---\n\nNews.\n' });
  expect(await tree.runTool("changeset", "status")).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("@x/b"),
  });
  await tree.write({ ".changeset/told.md": '---\n"@x/a": minor\n---\n\nNews.\n' });
  expect(await tree.runTool("changeset", "status")).toMatchObject({ exitCode: 0 });
});

it("changesets makes a minor release of a minor change, also for a package that is the peer of another", async () => {
  const published = readPublicPackages(pathOf(""));
  await using tree = await createTemporaryRepository({
    "package.json": { name: "x", private: true, workspaces: published.map(({ folder }) => folder) },
    "package-lock.json": { name: "x", lockfileVersion: 3, packages: {} },
    ...Object.fromEntries(published.map(({ folder, manifest }) => [`${folder}/package.json`, manifest])),
    ".changeset/config.json": readFileSync(pathOf(".changeset/config.json"), "utf8"),
    ".changeset/told.md": '---\n"@hostside/conformance": minor\n---\n\nNews.\n',
  });
  await tree.git("checkout", "--quiet", "-b", "main");
  await tree.git("add", ".");
  await tree.git("commit", "--quiet", "-m", "one");
  expect(await tree.runTool("changeset", "status", "--output=plan.json")).toMatchObject({ exitCode: 0 });
  const { releases } = JSON.parse(readFileSync(join(tree.folder, "plan.json"), "utf8"));
  expect(releases.map(({ type }: { type: string }) => type)).toEqual(published.map(() => "minor"));
});

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url));
}

function problemsOf(output: string, rules: RegExp): readonly string[] {
  const found = output.split("\n").flatMap((line) => {
    const [, file = "", rule = ""] = /^(\S+?):\d+:\d+: .*\[\w+\/(\S+)\]$/.exec(line) ?? [];
    return rules.test(rule) ? [`${file} ${rule}`] : [];
  });
  return [...new Set(found)].sort();
}
