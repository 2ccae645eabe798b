import { describe, expect, it } from "vitest";
import { createTemporaryRepository } from "./temporary-tree.ts";

describe("check-traces", () => {
  // Put together here, so that this file does not hold what the check looks for.
  const home = ["", "home", ""].join("/");
  const registry = ["https://", "registry.example.org/left-pad"].join("");

  it.each([
    ["a home folder", `cd ${home}alice/hostside`, "an absolute path of one machine"],
    ["a registry's host", `"resolved": "${registry}"`, "the host of a package registry"],
    ["a private key", ["-----BEGIN RSA", "PRIVATE KEY-----"].join(" "), "a private key"],
  ])("refuses %s", async (_, text, problem) => {
    await using tree = await createTemporaryRepository({ "notes.txt": `fine\n${text}\n` });
    const { exitCode, output } = await tree.run("check-traces");
    expect(exitCode).toBe(1);
    expect(output).toContain(`notes.txt:2: ${problem}`);
  });

  it("accepts what only resembles a trace, and ignores ignored files", async () => {
    await using tree = await createTemporaryRepository({
      ".gitignore": "out/\n",
      "out/log.txt": `${home}alice`,
      "a.md": "https://example.com/home/page and docs/work/plan.md and ~/home/x",
    });
    expect(await tree.run("check-traces")).toEqual({ exitCode: 0, output: "2 files" });
  });
});
