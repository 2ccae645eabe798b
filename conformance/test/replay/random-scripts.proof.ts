import { startFaultServer, type FaultRule } from "@hostside/fixtures";
import { createRecorder, createReplay, parseRecording } from "@hostside/conformance/replay";
import { createConnector } from "@hostside/transports";
import fc from "fast-check";
import { expect, it } from "vitest";
import { converse, type Deed } from "./converse.ts";

const said = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const call = fc.record({
  kind: fc.constant("call" as const),
  name: fc.constantFrom("echo", "append", "nowhere"),
  args: fc.record({ text: said }),
});
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: call },
  fc.constant({ kind: "list" } as const),
  fc.record({ kind: fc.constant("together" as const), deeds: fc.array(call, { minLength: 2, maxLength: 3 }) }),
);
const action = fc.oneof(
  said.map((text) => [{ type: "respond", message: { result: { content: [{ type: "text", text }] } } }] as const),
  said.map((message) => [{ type: "respond", message: { error: { code: -32_000, message } } }] as const),
  fc.constantFrom(500, 503).map((status) => [{ type: "http", status }] as const),
  fc.constant([{ type: "execute" }, { type: "reset" }] as const),
  said.map(
    (text) => [{ type: "http", status: 200, headers: { "content-type": "application/json" }, body: text }] as const,
  ),
);
const rule: fc.Arbitrary<FaultRule> = fc.record({
  on: fc.constant("tools/call"),
  nth: fc.integer({ min: 1, max: 5 }),
  do: action,
});

it("plays back what any scripted server said, in either era", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("legacy" as const, "modern" as const),
      fc.uniqueArray(rule, { maxLength: 3, selector: ({ nth }) => nth }),
      fc.array(deed, { minLength: 1, maxLength: 4 }),
      async (era, rules, deeds) => {
        await using server = await startFaultServer({ script: { era, rules }, transport: "http" });
        const timeouts = { callMs: 2000, closeMs: 200 };
        const spec = { id: "one", ...server.spec, timeouts };
        let text = "";
        const recorder = createRecorder({ to: (line) => void (text += line) });
        const live = await converse(createConnector({ effects: recorder.effects }), spec, deeds);
        recorder.close();
        const replay = await createReplay(parseRecording(text));
        expect(await converse(replay.connector, spec, deeds)).toEqual(live);
        expect(replay.misses()).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
}, 300_000);
