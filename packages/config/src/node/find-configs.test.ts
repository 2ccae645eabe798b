import { join, win32 } from "node:path";
import { detectDialect, dialectNames, readConfig } from "@hostside/config";
import { findConfigs, findProjectFolder } from "@hostside/config/node";
import { mkdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFakeHome } from "../../test/fake-home.ts";
import { locationRows } from "./find-configs.ts";

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

  it("finds the data of all programs of Windows on whichever drive they are", () => {
    const env = { PROGRAMDATA: String.raw`E:\Data` };
    const found = findConfigs({ platform: "win32", home: String.raw`C:\Home\user`, env }).map(({ path }) => path);
    expect(found).toContain(String.raw`E:\Data\gemini-cli\settings.json`);
  });

  it("looks into folders for places with any name in them", () => {
    const { place, home, write } = createFakeHome();
    for (const name of ["b.json", "a.json", "a.txt", ".json"]) write(`home/.aws/amazonq/cli-agents/${name}`, {});
    const folder = join(home, ".aws", "amazonq", "cli-agents");
    const found = findConfigs({ ...place, cwd: undefined }).map(({ path }) => path);
    expect(found.filter((path) => path.startsWith(folder))).toEqual(
      ["a.json", "b.json"].map((name) => join(folder, name)),
    );
  });

  it.each([
    ["the folder with a .git", "home/code/app/src", ["home/code/app/.git"], "home/code/app"],
    ["what is below home, without one", "home/other/app", [], "home/other"],
    ["cwd, elsewhere", "srv/a/b", [], "srv/a/b"],
    ["nothing, at home", "home", ["home/.git"], undefined],
    ["never home, though it has a .git", "home/app", ["home/.git"], "home/app"],
  ])("has a project begin at %s", (...[, cwd, there, folder]) => {
    const { place, root } = createFakeHome();
    for (const path of [cwd, ...there]) mkdirSync(join(root, path), { recursive: true });
    const wanted = folder === undefined ? undefined : join(root, folder);
    expect(findProjectFolder({ ...place, cwd: join(root, cwd) })).toBe(wanted);
  });

  it("has a place for each dialect but those that only their host names", () => {
    const placed = new Set(locationRows.map(([dialect]) => dialect));
    expect(dialectNames.filter((name) => !placed.has(name))).toEqual(["anda", "adk"]);
  });

  it("reads what is in each place as what it is", () => {
    for (const { path, dialect } of findConfigs({ platform: "linux", home: "/home/user", env: {}, cwd: "/p" })) {
      expect(readConfig({}, { file: path, dialect }).problems, path).toEqual([]);
      // With the dialect given, nothing looks at the path.
      expect(detectDialect(path, undefined) ?? dialect, path).toBe(dialect);
    }
  });

  it("has the order of the table in docs/reference/configuration.md", () => {
    const page = readFileSync(new URL("../../../../docs/reference/configuration.md", import.meta.url), "utf8");
    const listed = [...page.matchAll(/^\| `([\w-]+)` \|.*(?:\/|\.json)/gm)].map(([, dialect]) => dialect);
    expect(listed).toEqual([...new Set(locationRows.map(([dialect]) => dialect))]);
  });
});

function pathsOf(options: Parameters<typeof findConfigs>[0]): readonly string[] {
  return findConfigs(options).map(
    ({ path, dialect, scope, certain }) => `${dialect} ${scope} ${path}${certain ? "" : " ?"}`,
  );
}
