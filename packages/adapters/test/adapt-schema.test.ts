import { adaptSchema, aiSdk, anthropic, gemini, openai, portable, type AdaptedSchema } from "@hostside/adapters";
import type { SchemaProfile } from "@hostside/adapters";
import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";
import { profiles } from "./all-profiles.ts";

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, additionalProperties: false, ...more };
}

function adapt(schema: JsonObject, profile: SchemaProfile): AdaptedSchema {
  const adapted = adaptSchema(schema, profile);
  if (!adapted.ok) throw new Error(adapted.reason);
  return adapted;
}

describe("adaptSchema()", () => {
  it("gives back the very object where nothing is refused", () => {
    const schema = object({ a: { type: "string" } }, { additionalProperties: true });
    const adapted = adapt(schema, openai);
    expect(adapted.schema).toBe(schema);
    expect(adapted.changes).toEqual([]);
  });

  it("keeps a tool open that takes any name (trap 6)", () => {
    const map = object({ labels: { type: "object", additionalProperties: { type: "string" } } });
    expect(adapt(map, openai).schema["properties"]).toEqual({
      labels: { type: "object", additionalProperties: { type: "string" }, properties: {} },
    });
  });

  it.each(profiles)(
    "walks by keyword: names of properties and data are nobody's keywords, for $id (trap 9)",
    (profile) => {
      const data = { $ref: "#/nowhere", oneOf: [1], const: { $ref: "x" } };
      const properties = JSON.parse(
        '{"definitions":{"type":"string"},"oneOf":{"type":"number"},"__proto__":{"type":"integer"},"constructor":{"type":"boolean"},"type":{"type":"string"}}',
      ) as JsonObject;
      const schema = object(
        { ...properties, data: { type: "string", default: data as never, examples: [data] as never } },
        {
          required: ["definitions", "oneOf", "__proto__", "constructor", "type", "data"],
          $schema: "http://json-schema.org/draft-07/schema#",
        },
      );
      const adapted = adapt(schema, profile);
      expect(Object.keys(adapted.schema["properties"] as object)).toEqual(Object.keys(schema["properties"] as object));
      expect(adapted.schema["required"]).toEqual(schema["required"]);
      const own = JSON.parse(
        '{"definitions":"a","oneOf":1,"__proto__":2,"constructor":true,"type":"t","data":"d"}',
      ) as unknown;
      expect(JSON.stringify(adapted.restore(own))).toBe(JSON.stringify(own));
      const kept = (adapted.schema["properties"] as JsonObject)["data"] as JsonObject;
      expect(kept["default"] ?? data).toEqual(data);
    },
  );

  it("puts back names that an API does not take", () => {
    const adapted = adapt(
      object({ "page size": { type: "integer" }, page: { type: "integer" } }, { required: ["page size"] }),
      gemini,
    );
    const { schema } = adapted;
    const [odd = ""] = Object.keys(schema["properties"] as object);
    expect(odd).toMatch(/^page_size_[0-9a-f]{8}$/);
    expect(schema["required"]).toEqual([odd]);
    expect(adapted.restore({ [odd]: 5, page: 1 })).toEqual({ "page size": 5, page: 1 });
  });

  it("puts back names wherever they stand: in a map, in a tuple, under a pattern or a condition", () => {
    const odd = { type: "object", properties: { "page size": { type: "integer" } }, additionalProperties: false };
    const schema = {
      type: "object",
      properties: {
        map: { type: "object", properties: {}, additionalProperties: odd },
        tuple: { type: "array", prefixItems: [odd], items: {} },
        pattern: { type: "object", properties: {}, patternProperties: { "^p": odd } },
        when: { type: "object", properties: {}, if: { minProperties: 1 }, else: { properties: { so: odd } } },
      },
    };
    const value = (name: string): object => ({
      map: { a: { [name]: 1 } },
      tuple: [{ [name]: 1 }],
      pattern: { p: { [name]: 1 } },
      when: { so: { [name]: 1 } },
    });
    const adapted = adaptSchema(schema, aiSdk);
    if (!adapted.ok) throw new Error(adapted.reason);
    const [, name = ""] = /"map".*?"properties":\{.*?"(_?page[^"]*)"/.exec(JSON.stringify(adapted.schema)) ?? [];
    expect(name).toMatch(/^\w+$/);
    expect(adapted.restore(value(name))).toEqual(value("page size"));
  });

  it("folds a union of the arguments into one object, and says in words what belongs together", () => {
    const part = (kind: string, name: string): JsonObject =>
      object({ kind: { const: kind }, [name]: { type: "string" } }, { required: ["kind", name] });
    const { schema } = adapt({ type: "object", oneOf: [part("a", "path"), part("b", "url")] }, anthropic);
    expect(schema).toEqual({
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, path: { type: "string" }, url: { type: "string" } },
      required: ["kind"],
      additionalProperties: false,
      description: 'Give the members of one of these: kind = "a": kind, path; or kind = "b": kind, url.',
    });
  });

  it("cuts what leads back to itself, keeps it where it is taken, and fetches nothing", () => {
    const tree = object(
      { node: { $ref: "#/definitions/n" } },
      { definitions: { n: object({ next: { $ref: "#/definitions/n" } }) } },
    );
    expect(adapt(tree, portable).schema["properties"]).toEqual({
      node: {
        type: "object",
        properties: { next: { type: "object", properties: {} } },
        additionalProperties: false,
      },
    });
    expect(adapt(tree, openai).schema).toBe(tree);
    const remote = object({ a: { $ref: "https://example.com/a.json", description: "An a." } });
    expect(adapt(remote, openai).schema["properties"]).toEqual({ a: { description: "An a." } });
  });

  it("drops nothing inside not, where that would make the whole take less", () => {
    const schema = object({ a: { type: "string", not: { type: "string", pattern: "(?=x)y" } }, n: { type: "array" } });
    const { properties } = adapt(schema, openai).schema as { properties: { a: JsonObject } };
    expect(properties.a).toEqual({ type: "string", description: 'Also: {"not":{"type":"string","pattern":"(?=x)y"}}' });
  });

  it("says in words what an API does not take, at most 300 characters of each", () => {
    const schema = object({
      a: { type: "string", description: "An a.", pattern: "^a$", minLength: 3 },
      b: { type: "string", pattern: "b".repeat(1000) },
    });
    const { properties } = adapt(schema, gemini).schema as {
      properties: { a: JsonObject; b: { description: string } };
    };
    expect(properties.a).toEqual({ type: "string", description: 'An a.\n\nAlso: {"pattern":"^a$"} {"minLength":3}' });
    expect(properties.b.description.length).toBeLessThan(320);
  });

  it("writes oneOf as anyOf, and puts allOf together", () => {
    const schema = object({
      either: { oneOf: [{ type: "string" }, { type: "array", items: {} }] },
      both: { type: "string", allOf: [{ minLength: 2, description: "d" }, { enum: ["a", "b"] }, { enum: ["b", "c"] }] },
    });
    expect(adapt(schema, gemini).schema["properties"]).toEqual({
      either: { anyOf: [{ type: "string" }, { type: "array", items: {} }] },
      both: { type: "string", enum: ["b"], description: 'd\n\nAlso: {"minLength":2}' },
    });
  });

  it.each([
    [
      { type: ["string", "null"], enum: ["a", null], description: "d" },
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }], description: "d" },
    ],
    [{ const: "a" }, { type: "string", enum: ["a"] }],
    [
      { enum: ["a", 1], type: ["string", "number"] },
      { type: ["string", "number"], description: 'Also: {"enum":["a",1]}' },
    ],
    [
      { anyOf: [{ minimum: 1 }, { minimum: 3 }], type: "integer", description: "d" },
      {
        anyOf: [
          { minimum: 1, type: "integer", description: "d" },
          { minimum: 3, type: "integer" },
        ],
      },
    ],
  ])("writes %j as every API takes it", (given, expected) => {
    expect(adapt(object({ a: given }), portable).schema["properties"]).toEqual({ a: expected });
  });

  it("leaves out a schema of arguments that are no object", () => {
    const reason = "the API does not take arguments that are no object";
    expect(adaptSchema({ type: "array" }, openai)).toEqual({ ok: false, reason });
    expect(adaptSchema([] as never, openai).ok).toBe(false);
  });
});

describe("adaptSchema() of a hostile schema", () => {
  const range = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);
  const nest = (depth: number, keyword: string): JsonObject =>
    range(depth).reduce<JsonObject>((inner) => ({ [keyword]: keyword === "anyOf" ? [inner] : inner }), {});
  const doubling = object(
    { a: { $ref: "#/$defs/d0" } },
    {
      $defs: Object.fromEntries(
        range(60).map((at) => [
          `d${at}`,
          {
            type: "array",
            prefixItems: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }],
            items: { $ref: `#/$defs/d${at + 1}` },
          },
        ]),
      ),
    },
  );
  const chain = object(
    { a: { $ref: "#/$defs/d0" } },
    {
      $defs: Object.fromEntries(range(1500).map((at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])),
    },
  );
  const self: Record<string, unknown> = { type: "object" };
  self["properties"] = { self };
  const hostile: readonly (readonly [string, JsonObject])[] = [
    ["10,000 levels", object({ a: nest(10_000, "items") })],
    ["200 levels of not", object({ a: nest(120, "not") })],
    ["120 levels of anyOf", object({ a: nest(60, "anyOf"), b: { type: "array" } })],
    ["60 references that double", doubling],
    ["a chain of 1,500 references", chain],
    [
      "a reference to the whole in place",
      { type: "object", properties: { a: { type: "array" } }, allOf: [{ $ref: "#" }, { $ref: "#" }] },
    ],
    ["1,500 parts of allOf", { type: "object", allOf: range(1500).map((at) => ({ properties: { [`p${at}`]: {} } })) }],
    [
      "2,000 parts of oneOf at the root",
      { type: "object", oneOf: range(2000).map((at) => ({ required: [`p${at}`] })) },
    ],
    ["two enums of 9,000", object({ a: { allOf: [{ enum: range(9000) }, { enum: range(9000) }] } })],
    ["1 MB of text", object({ a: { type: "array", description: "x".repeat(1_100_000) } })],
    ["an object that holds itself", self as JsonObject],
    [
      "patterns that explode",
      object({ a: { type: "string", pattern: `(a+)+$${"(?=(x+x+)+y)".repeat(1000)}` }, b: { type: "array" } }),
    ],
    [
      "1,500 references",
      object(
        Object.fromEntries(range(1500).map((at) => [`p${at}`, { $ref: `#/$defs/d${at % 10}`, description: "d" }])),
        { $defs: Object.fromEntries(range(10).map((at) => [`d${at}`, { type: "array", minItems: at }])) },
      ),
    ],
  ];

  it.each(hostile)("ends in bounded time and size: %s", async (_, schema) => {
    const profiles = [openai, gemini, portable];
    let results: readonly ReturnType<typeof adaptSchema>[] = [];
    const seconds = await cpuSecondsOf(() => (results = profiles.map((profile) => adaptSchema(schema, profile))));
    expect(seconds).toBeLessThan(15);
    for (const adapted of results) {
      const length = adapted.ok && adapted.schema !== schema ? JSON.stringify(adapted.schema).length : 0;
      expect(length).toBeLessThan(1_100_000);
    }
  });
});
