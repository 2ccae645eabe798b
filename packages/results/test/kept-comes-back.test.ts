import fc from "fast-check";
import type { CallContext } from "@hostside/core";
import { createMemorySink, createResults, type Presented, type Results } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { test } from "../../../test/property-test.ts";
import { useVirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import { outcomeOf, text } from "./outcomes.ts";

const units = fc.string({
  unit: fc.oneof(
    fc.constantFrom("a", "\n", "ä", "\uFEFF", "🦊", "\uD83E", "\uDD8A"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 60,
});

function handleIn({ omitted }: Presented): string {
  const { handle } = omitted[0] ?? {};
  if (handle === undefined) throw new Error("nothing was kept");
  return handle;
}

async function readAll(results: Results, handle: string, limit: number): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const answer = await results.read({ handle, offset, limit });
    if (answer.kind === "text") parts.push(answer.text);
    else if (answer.kind === "bytes") parts.push(atob(answer.base64));
    else throw new Error(`the answer is ${answer.kind}`);
    offset = answer.next;
  }
  return parts.join("");
}

describe("what was kept", () => {
  test.prop([units, fc.integer({ min: 20, max: 900 }), fc.integer({ min: 1024, max: 3000 })], { numRuns: 25 })(
    "comes back character for character, by pages of any size, half surrogate pairs as U+FFFD, without unseen ones",
    async (unit, limit, maxTextBytes) => {
      const results = createResults({ sink: createMemorySink(), maxTextBytes });
      const whole = unit.repeat(Math.ceil(4500 / unit.length));
      const presented = await results.present(outcomeOf({ content: [text(whole)] }));
      fc.pre(presented.omitted.length > 0);
      const seen = whole
        .toWellFormed()
        .replaceAll(/(?![\u200C\u200D\uFE0F])[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu, "");
      expect(await readAll(results, handleIn(presented), limit)).toBe(seen);
    },
  );

  test.prop([fc.uint8Array({ minLength: 1, maxLength: 3000 }), fc.integer({ min: 1, max: 900 })], { numRuns: 40 })(
    "comes back byte for byte",
    async (data, limit) => {
      const results = createResults({ sink: createMemorySink(), maxTextBytes: 1024 });
      const blob = btoa(String.fromCharCode(...data));
      const content = [{ type: "resource", resource: { uri: "x:y", blob, mimeType: "application/x-unknown" } }];
      const presented = await results.present(outcomeOf({ content }));
      expect(await readAll(results, handleIn(presented), limit)).toBe(String.fromCharCode(...data));
    },
  );

  const contexts = fc.record(
    { conversation: fc.constantFrom("c1", "c2", "unnamed:", "named:c1"), principal: fc.constantFrom("p1", "p2") },
    { requiredKeys: [] },
  );
  test.prop([contexts, contexts], { numRuns: 40 })(
    "opens for the same conversation and principal, and for any other its handle is as good as unknown",
    async (mine, theirs) => {
      const results = createResults({ sink: createMemorySink() });
      const presented = await results.present(outcomeOf({ content: [text("x".repeat(33_000))] }), { context: mine });
      const isMine = mine.conversation === theirs.conversation && mine.principal === theirs.principal;
      const answerTo = (handle: string, context: CallContext): ReturnType<typeof results.tool.run> =>
        results.tool.run({ handle }, { context });
      const answer = await answerTo(handleIn(presented), theirs);
      if (isMine) expect(answer.isError).toBeUndefined();
      else expect(answer).toEqual(await answerTo("0".repeat(32), theirs));
    },
  );

  const shapes = fc.record({
    maxTextBytes: fc.integer({ min: 1024, max: 8000 }),
    delimiters: fc.boolean(),
  });
  test.prop([shapes, fc.constantFrom("x", "ä", "🦊", "⟦", "no\n")], { numRuns: 40 })(
    "fits into the bounds of the presenter when it is read, and is not kept again",
    async (shape, unit) => {
      const results = createResults({ sink: createMemorySink(), ...shape });
      const handle = handleIn(await results.present(outcomeOf({ content: [text(unit.repeat(30_000))] })));
      for (const args of [{}, { offset: 7, limit: 29_000 }, { query: unit, limit: 50 }]) {
        const result = await results.tool.run({ handle, ...args }, {});
        const { content, meta = {} } = result;
        const origin = { serverId: "", toolName: "results_read", qualifiedName: "local::results_read" };
        const shown = await results.present({ content, meta, isError: false, origin, raw: {} });
        expect(shown.omitted).toEqual([]);
        const all = shown.blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
        expect(new TextEncoder().encode(all).length).toBeLessThanOrEqual(shape.maxTextBytes);
      }
    },
  );

  it("is gone when it is too old, and leaves no timer", async () => {
    const clock = useVirtualClock();
    const results = createResults({ sink: createMemorySink(), ttlMs: 1000 });
    const handle = handleIn(await results.present(outcomeOf({ content: [text("x".repeat(40_000))] })));
    clock.advance(999);
    expect(await results.read({ handle })).toMatchObject({ kind: "text" });
    clock.advance(1);
    expect(await results.read({ handle })).toMatchObject({ kind: "failed", reason: "unknown-handle" });
    expect(clock.pending).toBe(0);
  });

  it("takes time in line with its size: what is quadratic would take minutes for 10 MB", async () => {
    const results = createResults({ sink: createMemorySink() });
    const whole = "ä needle in no hay\n".repeat(500_000);
    const handle = handleIn(await results.present(outcomeOf({ content: [text(whole)] })));
    for (let offset = 0; offset < whole.length; offset += 500_000) {
      const answer = await results.read({ handle, offset, limit: 10 });
      expect(answer).toMatchObject({ kind: "text", text: whole.slice(offset, offset + 10) });
    }
    expect(await results.read({ handle, query: "not in there" })).toMatchObject({ kind: "matches", matches: [] });
    expect(await results.read({ handle, query: "NEEDLE", offset: 9_000_000 })).toMatchObject({ kind: "matches" });
  });
});
