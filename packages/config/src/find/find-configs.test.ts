import { win32 } from "node:path";
import { detectDialect, dialectNames, findConfigs, findProjectFolder, readConfig } from "@hostside/config";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { locationRows } from "./locations.ts";

describe("findConfigs()", () => {
  it("knows where each tool keeps its files on Linux", async () => {
    const found = pathsOf({ platform: "linux", home: "/home/user", env: {}, cwd: "/home/user/app" });
    await expect(`${found.join("\n")}\n`).toMatchFileSnapshot("../../test/locations/linux.txt");
  });

  it("knows where each tool keeps its files on macOS", async () => {
    const found = pathsOf({ platform: "darwin", home: "/Users/user", env: {}, cwd: "/Users/user/app" });
    await expect(`${found.join("\n")}\n`).toMatchFileSnapshot("../../test/locations/macos.txt");
  });

  it("knows where each tool keeps its files on Windows", async () => {
    const env = { AppData: String.raw`D:\Roaming` };
    const found = pathsOf({
      platform: "win32",
      home: String.raw`C:\Home\user`,
      env,
      cwd: String.raw`C:\Home\user\app`,
    });
    await expect(`${found.join("\n")}\n`).toMatchFileSnapshot("../../test/locations/windows.txt");
    for (const line of found) {
      const path = line.replace(/^[^A-Z]*/, "");
      expect(win32.normalize(path)).toBe(path);
    }
  });

  it("takes folders from variables that are set to absolute paths", () => {
    const env = { XDG_CONFIG_HOME: "/xdg", CODEX_HOME: "relative", MCPORTER_CONFIG: "/etc/mcporter.json" };
    const found = findConfigs({ platform: "linux", home: "/home/user", env }).map(({ path }) => path);
    expect(found).toContain("/xdg/zed/settings.json");
    expect(found).toContain("/home/user/.codex/config.toml");
    expect(found).toContain("/etc/mcporter.json");
    expect(found.some((path) => path.includes("OPENCODE"))).toBe(false);
  });

  it("looks into folders for places with any name in them", () => {
    const folder = String.raw`C:\Home\user\AppData\Local\Packages`;
    const list = (path: string): readonly string[] => (path === folder ? ["Claude_pz", "Other_pz", "Claude_"] : []);
    const found = findConfigs({ platform: "win32", home: String.raw`C:\Home\user`, env: {}, list });
    expect(found.map(({ path }) => path).filter((path) => path.startsWith(folder))).toEqual([
      String.raw`${folder}\Claude_pz\LocalCache\Roaming\Claude\claude_desktop_config.json`,
    ]);
  });

  it.each([
    ["the folder with a .git", "/people/ada/code/app/src", ["/people/ada/code/app/.git"], "/people/ada/code/app"],
    ["what is below home, without one", "/people/ada/code/app", [], "/people/ada/code"],
    ["cwd, elsewhere", "/srv/a/b", [], "/srv/a/b"],
    ["nothing, at home", "/people/ada", ["/people/ada/.git"], undefined],
    ["never home, though it has a .git", "/people/ada/app", ["/people/ada/.git"], "/people/ada/app"],
  ])("has a project begin at %s", (...[, cwd, there, folder]) => {
    const exists = (path: string): boolean => there.includes(path);
    expect(findProjectFolder({ platform: "linux", home: "/people/ada", env: {}, cwd, exists })).toBe(folder);
  });

  it("lists what is there, from the outermost folder to cwd", () => {
    const there = ["/p/.git", "/p/.mcp.json", "/p/a/b/.mcp.json", "/.mcp.json", "/home/user/.claude.json"];
    const exists = (path: string): boolean => there.includes(path);
    const found = findConfigs({ platform: "linux", home: "/home/user", env: {}, cwd: "/p/a/b", exists });
    expect(found.map(({ path, scope, folder, tool }) => [path, scope, folder, tool])).toEqual([
      ["/home/user/.claude.json", "user", undefined, "Claude Code"],
      ["/p/.mcp.json", "project", "/p", "Claude Code"],
      ["/p/a/b/.mcp.json", "project", "/p/a/b", "Claude Code"],
    ]);
  });

  it("has a place for each dialect but those that only their host names", () => {
    const placed = new Set(locationRows.map(({ dialect }) => dialect));
    expect(dialectNames.filter((name) => !placed.has(name))).toEqual(["anda", "adk"]);
  });

  it("reads what is in each place as what it is", () => {
    for (const { path, dialect } of findConfigs({ platform: "linux", home: "/home/user", env: {}, cwd: "/p" })) {
      expect(readConfig({}, { file: path, dialect }).problems, path).toEqual([]);
      // With the dialect given, nothing looks at the path.
      expect(detectDialect(path, undefined) ?? dialect, path).toBe(dialect);
    }
  });

  it("has the order of the table in docs/configuration.md", () => {
    const page = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8");
    const listed = [...page.matchAll(/^\| `([\w-]+)` \|.*(?:\/|\.json)/gm)].map(([, dialect]) => dialect);
    expect(listed).toEqual([...new Set(locationRows.map(({ dialect }) => dialect))]);
  });
});

function pathsOf(options: Parameters<typeof findConfigs>[0]): readonly string[] {
  return findConfigs(options).map(
    ({ path, dialect, scope, certain }) => `${dialect} ${scope} ${path}${certain ? "" : " ?"}`,
  );
}
