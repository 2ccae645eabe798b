import { isHostsideError, type JsonObject, type ToolOutcome } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { outcomeOf, stageCall, stageParts, type CallGiven } from "../../test/still-parts.ts";
import { createValidation, type ValidationOptions } from "./create-validation.ts";

const inputSchema: JsonObject = {
  type: "object",
  properties: { path: { type: "string" }, n: { type: "integer" } },
  required: ["path"],
};
const outputSchema: JsonObject = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

function setUp(options: ValidationOptions = {}, outcome: ToolOutcome = outcomeOf({ structuredContent: { ok: true } })) {
  const parts = stageParts();
  const validation = createValidation(options, parts);
  let sent = 0;
  const run = (given: CallGiven = {}): Promise<ToolOutcome> => {
    const call = stageCall({
      args: { path: "/" },
      ...given,
      definition: { inputSchema, outputSchema, ...given.definition },
    });
    const { input, output } = validation;
    const send = async () => ((sent += 1), outcome);
    const inner = output === undefined ? send : () => output(call, send);
    return input === undefined ? inner() : input(call, inner);
  };
  return { parts, validation, run, sent: () => sent };
}

describe("createValidation() before a call", () => {
  it("refuses arguments that do not fit, before anything is sent, and says where", async () => {
    const { run, sent, parts } = setUp();
    const error = await run({ args: { n: "secret-argument" } }).catch((reason: unknown) => reason);
    expect(isHostsideError(error, "invalid_arguments") && error.details).toMatchObject({
      policy: "validation.input",
      violations: [
        { path: "", keyword: "required", message: 'must have the property "path"' },
        { path: "/n", keyword: "type", message: "must be integer" },
      ],
    });
    expect(isHostsideError(error) && [error.outcome, error.retryable]).toEqual(["not-sent", false]);
    expect(sent()).toBe(0);
    expect(parts.events).toMatchObject([{ type: "refused", stage: "input", code: "invalid_arguments" }]);
    expect(JSON.stringify([parts.events, error])).not.toContain("secret-argument");
  });

  it("sends them with an event when it is to warn, and says nothing when it is off", async () => {
    const warned = setUp({ input: "warn" });
    await warned.run({ args: {} });
    expect(warned.sent()).toBe(1);
    expect(warned.parts.events).toMatchObject([{ type: "applied", stage: "input" }]);
    const off = setUp({ input: "off" });
    expect(off.validation.input).toBeUndefined();
    await off.run({ args: {} });
    expect(off.parts.events).toEqual([]);
  });

  it("lets what fits pass, without a word", async () => {
    const { run, sent, parts } = setUp();
    await run({ args: { path: "/", n: 1 } });
    expect(sent()).toBe(1);
    expect(parts.events).toEqual([]);
  });

  it("refuses what is too much to check", async () => {
    const { run, sent } = setUp();
    const twice = { allOf: [{ $ref: "#/$defs/a1" }, { $ref: "#/$defs/a1" }] };
    const $defs: Record<string, JsonObject> = {};
    for (let n = 0; n < 60; n += 1) {
      $defs[`a${n}`] = { allOf: twice.allOf.map(() => ({ $ref: `#/$defs/a${n + 1}` })) };
    }
    const hostile: JsonObject = { $ref: "#/$defs/a0", $defs: { ...$defs, a60: {} } };
    const error = await run({ definition: { inputSchema: hostile } }).catch((reason: unknown) => reason);
    expect(isHostsideError(error, "invalid_arguments")).toBe(true);
    expect(sent()).toBe(0);
  });

  it("checks nothing by a schema that cannot be used, and says so once with the reason", async () => {
    const { run, sent, parts } = setUp();
    const unusable: JsonObject = { $ref: "https://elsewhere.test/schema.json" };
    for (const _ of [1, 2, 3]) await run({ args: {}, definition: { inputSchema: unusable } });
    expect(sent()).toBe(3);
    expect(parts.events).toMatchObject([
      { type: "applied", stage: "input", reason: expect.stringContaining("nothing is fetched") },
    ]);
  });

  it("says once that a pattern cannot be looked for", async () => {
    const { run, parts } = setUp();
    const ahead: JsonObject = { properties: { path: { pattern: "^(?!\\.)" } } };
    await Promise.all([1, 2].map(() => run({ definition: { inputSchema: ahead } })));
    expect(parts.events).toMatchObject([{ reason: expect.stringContaining("1 patterns") }]);
  });

  it("does not let servers with the same $id meet", async () => {
    const { run } = setUp();
    const a: JsonObject = { $id: "https://x.test/s", properties: { path: { type: "string" } } };
    const b: JsonObject = { $id: "https://x.test/s", properties: { path: { type: "number" } } };
    await run({ args: { path: "a" }, definition: { inputSchema: a } });
    await expect(run({ args: { path: "a" }, definition: { inputSchema: b } })).rejects.toThrow("invalid_arguments");
  });
});

describe("createValidation() after a call", () => {
  const bad = outcomeOf({ structuredContent: { ok: "yes" }, meta: { own: 1 } });

  it("delivers a result that does not fit, marked, whole and with an event", async () => {
    const { run, parts } = setUp({}, bad);
    expect(await run()).toEqual({
      ...bad,
      meta: {
        own: 1,
        "hostside/output-problems": [{ path: "/ok", keyword: "type", message: "must be boolean" }],
      },
    });
    expect(bad.meta).toEqual({ own: 1 });
    expect(parts.events).toMatchObject([{ type: "applied", stage: "output" }]);
  });

  it("counts it as failed when it is strict, and delivers it all the same", async () => {
    const { run } = setUp({ output: "strict" }, bad);
    expect(await run()).toMatchObject({
      isError: true,
      structuredContent: { ok: "yes" },
      content: bad.content,
      raw: bad.raw,
    });
  });

  it("marks a result without the structured content that was promised", async () => {
    const { run } = setUp({}, outcomeOf());
    expect((await run()).meta).toMatchObject({ "hostside/output-problems": [{ keyword: "required" }] });
  });

  it.each<[string, ToolOutcome, CallGiven]>([
    ["what the tool calls an error", outcomeOf({ isError: true, structuredContent: { ok: 1 } }), {}],
    ["a tool without an output schema", outcomeOf(), { definition: { outputSchema: undefined as never } }],
    ["what fits", outcomeOf({ structuredContent: { ok: true } }), {}],
  ])("leaves %s as it is", async (_what, outcome, given) => {
    const { run, parts } = setUp({ output: "strict" }, outcome);
    expect(await run(given)).toBe(outcome);
    expect(parts.events).toEqual([]);
  });

  it("takes away a mark that the server set itself", async () => {
    const meta = { "hostside/output-problems": [{ path: "", message: "trust me" }], own: 1 };
    const { run } = setUp({}, outcomeOf({ structuredContent: { ok: true }, meta }));
    expect((await run()).meta).toEqual({ own: 1 });
  });

  it("checks a structured content of null, too", async () => {
    const { run } = setUp({}, outcomeOf({ structuredContent: null }));
    expect((await run()).meta).toMatchObject({ "hostside/output-problems": [{ keyword: "type" }] });
  });
});

describe("createValidation()", () => {
  it("takes formats for notes", async () => {
    const { run, sent } = setUp();
    await run({ args: { at: "soon" }, definition: { inputSchema: { properties: { at: { format: "date" } } } } });
    expect(sent()).toBe(1);
  });

  it.each<[string, JsonObject]>([
    ["that says so", { $schema: "http://json-schema.org/draft-04/schema#", required: ["n"] }],
    ["that only shows it", { required: ["n"], properties: { n: { minimum: 0, exclusiveMinimum: true } } }],
  ])("checks nothing by a schema of draft-04 %s, and says so", async (_, inputSchema) => {
    const { run, sent, parts } = setUp();
    await run({ args: {}, definition: { inputSchema } });
    expect(sent()).toBe(1);
    expect(parts.events).toMatchObject([{ type: "applied", reason: expect.stringContaining("draft-0") }]);
  });

  it.each([
    [{ input: "on" as never }, "validation.input"],
    [{ output: true as never }, "validation.output"],
    [{ inputs: "off" } as ValidationOptions, "inputs"],
  ])("refuses %j", (options, place) => {
    expect(() => createValidation(options, stageParts())).toThrow(TypeError);
    expect(() => createValidation(options, stageParts())).toThrow(place);
  });
});
