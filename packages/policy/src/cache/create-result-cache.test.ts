import { isHostsideError, type JsonValue, type ToolCall, type ToolOutcome } from "@hostside/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outcomeOf, stageCall, stageParts, type CallGiven } from "../../test/still-parts.ts";
import { markOutcome } from "../validation/create-validation.ts";
import { createResultCache, type CacheOptions } from "./create-result-cache.ts";

function setUp(options: CacheOptions = {}, answer: (call: ToolCall, time: number) => ToolOutcome = numbered) {
  const parts = stageParts();
  const cache = createResultCache(options, parts);
  let times = 0;
  const run = (given: CallGiven): Promise<ToolOutcome> =>
    cache.interceptor(stageCall({ ...given, definition: { effect: "pure", ...given.definition } }), async (call) => {
      times += 1;
      return answer(call, times);
    });
  return { parts, cache, run, times: () => times };
}

function numbered(_call: ToolCall, time: number): ToolOutcome {
  return outcomeOf({ content: [{ type: "text", text: String(time) }], structuredContent: { time, list: [1] } });
}

describe("createResultCache()", () => {
  it("gives the result of a pure tool again, and says so", async () => {
    const { run, times, parts } = setUp();
    const first = await run({ args: { a: 1, b: [true] } });
    const second = await run({ args: { b: [true], a: 1 } });
    expect(second).toEqual(first);
    expect(times()).toBe(1);
    expect(parts.events).toMatchObject([{ type: "applied", stage: "cache" }]);
  });

  it.each<[string, CallGiven, CallGiven]>([
    ["principal", { options: { context: { principal: "ann" } } }, { options: { context: { principal: "bob" } } }],
    ["principal, and nobody", { options: { context: { principal: "ann" } } }, {}],
    ["role", { options: { context: { role: "admin" } } }, { options: { context: { role: "guest" } } }],
    ["registration", { server: { registration: "1" } }, { server: { registration: "2" } }],
    ["revision of the spec", { server: { revision: 1 } }, { server: { revision: 2 } }],
    [
      "conversation with a connection of its own",
      { server: { sharing: "conversation" }, options: { context: { conversation: "1" } } },
      { server: { sharing: "conversation" }, options: { context: { conversation: "2" } } },
    ],
    ["server", { serverId: "a" }, { serverId: "b" }],
    ["tool", { toolName: "a" }, { toolName: "b" }],
    ["fingerprint", { definition: { fingerprint: "sha256-1" } }, { definition: { fingerprint: "sha256-2" } }],
    ["argument", { args: { n: 1 } }, { args: { n: "1" } }],
    ["meta", { options: { meta: { locale: "de" } } }, { options: { meta: { locale: "en" } } }],
    ["places of the same texts", { serverId: "a", toolName: "b" }, { serverId: 'a","b', toolName: "" }],
  ])("never answers a call with the result for another %s", async (_what, one, other) => {
    const { run, times } = setUp();
    await run(one);
    await run(other);
    expect(times()).toBe(2);
    await run(one);
    await run(other);
    expect(times()).toBe(2);
  });

  it.each<[string, CallGiven]>([
    ["tool without a fingerprint", { definition: { fingerprint: undefined } }],
    ["server that hears of its caller", { server: { perCaller: true } }],
    ["tool that writes", { definition: { effect: "idempotent-write" } }],
    ["tool of which nothing is known", { definition: { effect: "external" } }],
  ])("keeps nothing of a %s", async (_what, given) => {
    const { run, times } = setUp();
    await run(given);
    await run(given);
    expect(times()).toBe(2);
  });

  it("goes by the policy's word on effects, not by the definition", async () => {
    const parts = { ...stageParts(), effectOf: () => "external" as const };
    const cache = createResultCache({}, parts);
    let times = 0;
    const call = stageCall({ definition: { effect: "pure" } });
    for (const _ of [1, 2]) await cache.interceptor(call, async () => ((times += 1), outcomeOf()));
    expect(times).toBe(2);
  });

  it.each<[string, ToolOutcome]>([
    ["what the tool calls an error", outcomeOf({ isError: true })],
    ["what does not fit its output schema", markOutcome(outcomeOf(), [{ path: "", message: "no" }])],
    ["what is no JSON", outcomeOf({ structuredContent: cyclic() })],
  ])("never keeps %s", async (_what, outcome) => {
    const { run, times } = setUp({}, () => outcome);
    expect(await run({})).toBe(outcome);
    await run({});
    expect(times()).toBe(2);
  });

  it("keeps nothing of a call that failed", async () => {
    const { run, times } = setUp({}, () => {
      throw new Error("down");
    });
    await expect(run({})).rejects.toThrow("down");
    await expect(run({})).rejects.toThrow("down");
    expect(times()).toBe(2);
  });

  it("calls again when the time of a result is over, however often it was given", async () => {
    const { run, times, parts } = setUp({ ttlMs: 1000 });
    await run({});
    parts.moveTo(900);
    await run({});
    parts.moveTo(1000);
    await run({});
    expect(times()).toBe(1);
    parts.moveTo(1002);
    await run({});
    expect(times()).toBe(2);
  });

  it("gives results that nobody can change for the next", async () => {
    const { run } = setUp();
    const first = await run({});
    const list = first.raw["structuredContent"] as { list: number[] };
    list.list.push(2);
    const second = await run({});
    expect(second.structuredContent).toEqual({ time: 1, list: [1] });
    expect(() => Object.assign(second.content[0] ?? {}, { text: "changed" })).toThrow(TypeError);
    expect(() => Object.assign(second.raw, { more: 1 })).toThrow(TypeError);
    expect((await run({})).content).toEqual([{ type: "text", text: "1" }]);
  });

  it("is bounded in bytes, and the one asked for longest ago goes first", async () => {
    const text = "x".repeat(3_000_000);
    const { run, times } = setUp({}, () => outcomeOf({ content: [{ type: "text", text }], raw: {} }));
    for (const n of [1, 2, 3, 3, 1]) await run({ args: { n } });
    expect(times()).toBe(4);
  });

  it("forgets everything when it is told to", async () => {
    const { run, times, cache } = setUp();
    await run({});
    cache.clear();
    await run({});
    expect(times()).toBe(2);
  });

  it("has another result for other arguments, and the same for the same ones, whatever they are", async () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(json, json, async (a, b) => {
        const echo = setUp({}, ({ args }) => outcomeOf({ structuredContent: args }));
        const [plainA, plainB] = [a, b].map((args) => JSON.parse(JSON.stringify(args)) as Record<string, JsonValue>);
        for (const args of [plainA, plainB, plainA, plainB]) {
          expect((await echo.run({ args: args ?? {} })).structuredContent).toEqual(args);
        }
        expect(echo.times()).toBeLessThanOrEqual(2);
      }),
    );
  });

  it.each([
    [{ ttlMs: 0 }, "cache.ttlMs"],
    [{ ttlMs: 1.5 }, "cache.ttlMs"],
    [{ ttl: 1 } as CacheOptions, "ttl"],
  ])("refuses %j", (options, place) => {
    expect(() => createResultCache(options, stageParts())).toThrow(TypeError);
    expect(() => createResultCache(options, stageParts())).toThrow(place);
  });

  it("throws nothing of its own", async () => {
    const { run } = setUp();
    const deep = nested(5000);
    expect(await run({ args: { deep } }).catch(isHostsideError)).toMatchObject({ isError: false });
  });
});

function cyclic(): JsonValue {
  const value: Record<string, JsonValue> = {};
  value["self"] = value;
  return value;
}

function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
