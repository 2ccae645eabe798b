import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findConfigFiles, findConfigs } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { createFakeHome } from "./fake-home.ts";

describe("findConfigFiles()", () => {
  it.each(["linux", "darwin"])("finds every place that is known on %s", (platform) => {
    const { place, home, project, write, root } = createFakeHome(platform);
    const wanted = findConfigs({ ...place })
      .map(({ path }) => path)
      .filter((path) => path.startsWith(home));
    for (const path of wanted) write(path.slice(root.length), "{}");
    expect(wanted.some((path) => path.startsWith(project))).toBe(true);
    expect(findConfigFiles(place).map(({ path }) => path)).toEqual(expect.arrayContaining(wanted));
  });

  it("finds files of a project from a folder within it, and nothing above it", () => {
    const { place, project, write } = createFakeHome();
    write("home/code/.mcp.json", "{}");
    write("home/code/app/.mcp.json", "{}");
    write("home/code/app/src/deep/.vscode/mcp.json", "{}");
    const found = findConfigFiles({ ...place, cwd: join(project, "src", "deep") });
    expect(found.map(({ path, folder }) => [path, folder])).toEqual([
      [join(project, ".mcp.json"), project],
      [join(project, "src", "deep", ".vscode", "mcp.json"), join(project, "src", "deep")],
    ]);
  });

  it("finds a file once that two names lead to, as the user's own", () => {
    const { place, home, project, write } = createFakeHome();
    write("home/.cursor/mcp.json", "{}");
    mkdirSync(join(project, ".cursor"));
    symlinkSync(join(home, ".cursor", "mcp.json"), join(project, ".cursor", "mcp.json"));
    expect(findConfigFiles(place).map(({ path, scope }) => [path, scope])).toEqual([
      [join(home, ".cursor", "mcp.json"), "user"],
    ]);
  });

  it("takes the user's own folder for no project, by whatever name", () => {
    const { place, home, root, write } = createFakeHome();
    write("home/.mcp.json", "{}");
    symlinkSync(home, join(root, "other-name"));
    expect(findConfigFiles({ ...place, cwd: home })).toEqual([]);
    expect(findConfigFiles({ ...place, cwd: join(root, "other-name") })).toEqual([]);
  });
});
