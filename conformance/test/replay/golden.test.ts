import type { JsonValue, ServerSpec } from "@hostside/core";
import { createReplay, parseRecording } from "@hostside/conformance/replay";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { converse, type Deed } from "./converse.ts";

/**
 * What `golden/*.jsonl` were recorded with, by the fixtures' good servers; they are never written
 * anew, so that old recordings stay readable.
 */
const deeds: readonly Deed[] = [
  { kind: "list" },
  { kind: "call", name: "echo", args: { text: "hello" } },
  { kind: "call", name: "slow", args: { steps: 2, stepMs: 1 } },
  { kind: "call", name: "ask", args: { question: "Who?" } },
  { kind: "change", name: "add-tool", args: { name: "new-one" } },
  { kind: "call", name: "fail" },
];

const text = (said: string): JsonValue => [{ type: "text", text: said }];

describe("recordings of version 1", () => {
  it.each([
    ["legacy-stdio", "legacy"],
    ["legacy-http", "legacy"],
    ["modern-stdio", "modern"],
    ["modern-http", "modern"],
  ])("are read and played: %s", async (name, era) => {
    const file = await readFile(new URL(`golden/${name}.jsonl`, import.meta.url), "utf8");
    const replay = await createReplay(parseRecording(file));
    expect(replay.recording.problems).toEqual([]);
    const seen = await converse(replay.connector, replay.servers[0] as ServerSpec, deeds);
    replay.check({ unused: true });
    expect(seen.map(([, outcome]) => outcome)).toMatchObject([
      { era, name: `${era}-fixture` },
      { pages: 1 },
      { result: { content: text("hello") } },
      { result: { content: text("2 steps done") }, progress: [{ progress: 1 }, { progress: 2 }] },
      { result: { content: text("accept: Ada") } },
      { result: { content: text("added new-one") }, after: { pages: 1 } },
      { result: { isError: true } },
    ]);
  });
});
