import { describe, expect, it } from "vitest";
import { createTemporaryRepository } from "./temporary-tree.ts";

const onePackage = {
  "packages/a/package.json": { name: "@x/a", version: "1.0.0" },
  "packages/a/src/index.ts": "export const a = 1;",
};

describe("check-changesets", () => {
  const text = `---\n"@x/a": minor\n---\n\nRuns twice as fast.\n`;

  it("accepts a changed package that a changeset names", async () => {
    await using tree = await createTemporaryRepository({ ...onePackage, ".changeset/quick.md": text });
    expect(await tree.run("check-changesets")).toEqual({ exitCode: 0, output: "1 published packages" });
  });

  it("refuses a package that was never released and is not named", async () => {
    await using tree = await createTemporaryRepository({ ...onePackage, ".changeset/README.md": "About changesets." });
    expect((await tree.run("check-changesets")).output).toContain("packages/a: changed since its last release");
  });

  it("refuses a source that changed after the last release, and only then", async () => {
    await using tree = await createTemporaryRepository({
      ...onePackage,
      ".changeset/README.md": "About changesets.",
      "packages/a/CHANGELOG.md": "## 1.0.0",
    });
    await tree.git("add", "-A");
    await tree.git("commit", "-m", "Release");
    expect(await tree.run("check-changesets")).toMatchObject({ exitCode: 0 });
    await tree.write({ "packages/a/src/index.ts": "export const a = 2;" });
    expect(await tree.run("check-changesets")).toMatchObject({ exitCode: 1 });
  });

  it.each([
    ["names nothing", "Just text.\n", "names no package"],
    ["names an unknown package", `---\n"@x/b": patch\n---\n\nText.\n`, "@x/b is not a published package"],
    ["says nothing", `---\n"@x/a": patch\n---\n\n`, "tells the user nothing"],
  ])("refuses a changeset that %s", async (_, changeset, problem) => {
    await using tree = await createTemporaryRepository({
      ...onePackage,
      ".changeset/a.md": text,
      ".changeset/odd.md": changeset,
    });
    const { exitCode, output } = await tree.run("check-changesets");
    expect(exitCode).toBe(1);
    expect(output).toContain(`.changeset/odd.md: ${problem}`);
  });
});
