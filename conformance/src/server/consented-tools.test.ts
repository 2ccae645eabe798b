import type { JsonObject, JsonValue } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { consentedTools, makeArguments, type CallConsent } from "./consented-tools.ts";

const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: "object",
  properties,
  required,
});

describe("makeArguments()", () => {
  it.each<[string, JsonValue | undefined, JsonObject | undefined]>([
    ["nothing for optional parameters", object({ a: { type: "string" } }, []), {}],
    ["the shortest text", object({ a: { type: "string" }, b: { type: "string", minLength: 3 } }), { a: "x", b: "xxx" }],
    ["numbers within bounds", object({ a: { type: "integer" }, b: { type: "number", minimum: 5 } }), { a: 1, b: 5 }],
    [
      "false, null and empty lists",
      object({ a: { type: "boolean" }, b: { type: "null" }, c: { type: "array" } }),
      { a: false, b: null, c: [] },
    ],
    [
      "what the schema itself offers",
      object({ a: { enum: ["m"] }, b: { const: 2 }, c: { default: "d" }, d: { examples: ["e"] } }),
      { a: "m", b: 2, c: "d", d: "e" },
    ],
    ["nested objects", object({ a: object({ b: { type: "string" } }) }), { a: { b: "x" } }],
    ["a parameter that every object has", object({ constructor: { type: "string" } }), { constructor: "x" }],
    ["nothing when a text must have a form", object({ a: { type: "string", format: "uri" } }), undefined],
    ["nothing when a list must not be empty", object({ a: { type: "array", minItems: 1 } }), undefined],
    ["nothing for a parameter without a schema", object({}, ["a"]), undefined],
    ["nothing without a schema", null, undefined],
  ])("makes %s", (_, schema, args) => {
    expect(makeArguments(schema)).toEqual(args);
  });
});

describe("consentedTools()", () => {
  const tools: readonly JsonObject[] = [
    { name: "reads", inputSchema: object({}), annotations: { readOnlyHint: true } },
    { name: "contradicts", inputSchema: object({}), annotations: { readOnlyHint: true, destructiveHint: true } },
    { name: "writes", inputSchema: object({}) },
    { name: "pretends", inputSchema: object({}), annotations: { readOnlyHint: "true" } },
  ];
  const called = async (consent: Partial<CallConsent>): Promise<readonly string[]> => {
    const target = {
      consent: { named: new Map(), all: false, ...consent },
      listing: async () => ({ pages: [], items: tools }),
    };
    return (await consentedTools(target)).map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
  };

  it("calls only what clearly declares itself read-only", async () => {
    expect(await called({})).toEqual(["reads {}"]);
  });

  it("calls what the author named, with the arguments that were given", async () => {
    expect(await called({ named: new Map([["writes", { a: 1 }]]) })).toEqual(["reads {}", 'writes {"a":1}']);
  });

  it("calls everything when it may", async () => {
    expect(await called({ all: true })).toHaveLength(4);
  });
});
