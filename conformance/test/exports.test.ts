import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import * as kit from "../src/index.ts";

it("exports these values and no others", () => {
  expect(Object.keys(kit).sort()).toEqual([
    "checkServer",
    "exitCodes",
    "parseBaseline",
    "serverChecks",
    "toHtml",
    "toJson",
    "toJunit",
    "toMarkdown",
    "toSarif",
    "toTerminal",
  ]);
});

it("exports these values of recordings and no others", async () => {
  expect(Object.keys(await import("../src/replay/index.ts")).sort()).toEqual([
    "createRecorder",
    "createReplay",
    "parseRecording",
    "readRecording",
    "startReplayServer",
  ]);
});

it("has these entry points, and one command", async () => {
  const manifest: unknown = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  expect(manifest).toMatchObject({
    bin: { "hostside-conformance": "./bin/hostside-conformance.js" },
    exports: {
      ".": expect.anything(),
      "./checks.json": "./checks.json",
      "./driver.schema.json": "./driver.schema.json",
      "./faults.json": "./faults.json",
      "./replay": expect.anything(),
      "./report.schema.json": "./report.schema.json",
      "./package.json": "./package.json",
    },
  });
});

it.each(["../package.json", "../../fixtures/package.json"])(
  "%s: no optional peer keeps the kit out of a project",
  async (path) => {
    // npm refuses to install what has a peer of another version, though it is optional, and a
    // server's author has an SDK and vitest of theirs.
    const manifest: unknown = JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
    const { peerDependencies = {} } = manifest as { peerDependencies?: Readonly<Record<string, string>> };
    expect(Object.values(peerDependencies).filter((range) => range !== "*")).toEqual([]);
  },
);

it("exits with these codes, which pipelines rely on", () => {
  expect(kit.exitCodes).toEqual({ pass: 0, fail: 1, usage: 2, incomplete: 3, unreachable: 4, authRequired: 5 });
});
