import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("exports exactly these values", async () => {
  expect(Object.keys(await import("@hostside/replay")).sort()).toEqual([
    "createRecorder",
    "createReplay",
    "parseRecording",
    "readRecording",
    "startReplayServer",
  ]);
});

it("exports exactly the program for those who start it themselves", async () => {
  expect(Object.keys(await import("@hostside/replay/cli"))).toEqual(["main"]);
});

it("has exactly these entry points", () => {
  const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(Object.keys(exports)).toEqual([".", "./cli", "./package.json"]);
});
