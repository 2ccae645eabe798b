import type { ServerSpec } from "@hostside/core";
import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import { createRecorder, createReplay, parseRecording } from "@hostside/conformance/replay";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { converse, type Deed } from "./converse.ts";

const deeds: readonly Deed[] = [
  { kind: "list" },
  { kind: "call", name: "echo", args: { text: "grüße" } },
  { kind: "call", name: "add", args: { a: 1, b: 2 } },
  { kind: "call", name: "add", args: { a: "x" } },
  { kind: "call", name: "describe-number", args: { value: 7 } },
  { kind: "call", name: "fail" },
  { kind: "call", name: "slow", args: { stepMs: 1, steps: 2 } },
  { kind: "call", name: "ask", args: { question: "Who?" } },
  { kind: "abort", name: "slow", args: { stepMs: 20, steps: 500 } },
  { kind: "change", name: "add-tool", args: { name: "new-one" } },
  { kind: "call", name: "nowhere" },
  { kind: "request", method: "no/such/method" },
  {
    kind: "together",
    deeds: [
      { kind: "call", name: "echo", args: { text: "a" } },
      { kind: "call", name: "echo", args: { text: "b" } },
      { kind: "call", name: "add", args: { a: 3, b: 4 } },
    ],
  },
];

async function recordAndReplay(
  spec: ServerSpec,
): Promise<{ live: unknown; replayed: unknown; text: string; left: unknown }> {
  let text = "";
  const recorder = createRecorder({ to: (line) => void (text += line) });
  const live = await converse(createConnector({ effects: recorder.effects }), spec, deeds);
  recorder.close();
  const replay = await createReplay(parseRecording(text));
  const replayed = await converse(replay.connector, spec, deeds);
  return { live, replayed, text, left: [replay.misses(), replay.unused()] };
}

describe("record and replay", () => {
  it.each(["legacy-stdio", "modern-stdio"] as const)("gives what %s gave, without it", async (name) => {
    const { live, replayed, left } = await recordAndReplay({
      id: "one",
      type: "stdio",
      ...fixtureServer(name),
    });
    expect(replayed).toEqual(live);
    expect(left).toEqual([[], []]);
  });

  it.each(["legacy-http", "modern-http", "sse-only"] as const)("gives what %s gave, without it", async (name) => {
    await using server = await startHttpFixture(name, {});
    const { live, replayed, left } = await recordAndReplay({ id: "one", type: "http", url: server.url });
    expect(replayed).toEqual(live);
    expect(left).toEqual([[], []]);
  });
});
