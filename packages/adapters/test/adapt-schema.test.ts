import {
  adaptSchema,
  anthropic,
  anthropicStrict,
  aiSdk,
  geminiJsonSchema,
  geminiParameters,
  openaiChat,
  openaiStrict,
  portable,
  type AdaptedSchema,
  type SchemaProfile,
} from "@hostside/adapters";
import type { JsonObject } from "@hostside/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";

const everyProfile = [
  openaiChat,
  openaiStrict,
  anthropic,
  anthropicStrict,
  geminiJsonSchema,
  geminiParameters,
  portable,
];

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, additionalProperties: false, ...more };
}

/** An object that may have these members, and says nothing of others. */
function open(...names: readonly string[]): JsonObject {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
}

function adapt(schema: JsonObject, profile: SchemaProfile): AdaptedSchema {
  const adapted = adaptSchema(schema, profile);
  if (!adapted.ok) throw new Error(adapted.reason);
  return adapted;
}

describe("adaptSchema()", () => {
  it("gives back the very object where nothing is refused", () => {
    const schema = object({ a: { type: "string" } }, { additionalProperties: true });
    const adapted = adapt(schema, openaiChat);
    expect(adapted.schema).toBe(schema);
    expect(adapted).toMatchObject({ changes: [], accepts: "same", strict: false });
  });

  it("keeps a tool open that takes any name, and gives strict mode to none of them (traps 6 and 7)", () => {
    const map = object({ labels: { type: "object", additionalProperties: { type: "string" } } });
    expect(adapt(map, openaiChat).schema["properties"]).toEqual({
      labels: { type: "object", additionalProperties: { type: "string" }, properties: {} },
    });
    for (const profile of [openaiStrict, anthropicStrict]) {
      expect(adaptSchema(map, profile)).toEqual({ ok: false, reason: "the API does not take an object of any names" });
      expect(adaptSchema({ type: "object", additionalProperties: true }, profile).ok).toBe(false);
      expect(adaptSchema({ type: "object" }, profile).ok).toBe(false);
    }
  });

  it("makes null of what may be left out in strict mode, and takes that null away again, however deep it is (trap 8)", () => {
    const inner = object({ x: { type: "integer" }, y: { const: "k" } }, { required: ["y"] });
    const adapted = adapt(
      object({ a: { type: "string", enum: ["u"] }, list: { type: "array", items: inner } }),
      openaiStrict,
    );
    const { schema } = adapted;
    expect(adapted.accepts).toBe("same");
    expect(schema["properties"]).toMatchObject({
      a: { type: ["string", "null"], enum: ["u", null] },
      list: { type: ["array", "null"] },
    });
    expect(schema["required"]).toEqual(["a", "list"]);
    const given = {
      a: null,
      list: [
        { x: null, y: "k" },
        { x: 1, y: "k" },
      ],
    };
    const before = JSON.stringify(given);
    expect(adapted.restore(given)).toEqual({ list: [{ y: "k" }, { x: 1, y: "k" }] });
    expect(JSON.stringify(given)).toBe(before);
    expect([undefined, "x", [null]].map((one) => adapted.restore(one))).toEqual([undefined, "x", [null]]);
  });

  it.each<[string, JsonObject]>([
    ["allOf", { allOf: [open("a"), open("b")] }],
    ["allOf of references", { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }] }],
    ["a reference beside properties", { $ref: "#/$defs/a", ...open("b") }],
    ["a union beside properties", { ...open("a"), anyOf: [open("b"), open("c")] }],
    [
      "a union of references beside properties",
      { ...open("a"), anyOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/c" }] },
    ],
    ["a union in allOf", { allOf: [open("a"), { anyOf: [{ $ref: "#/$defs/b" }, open("c")] }] }],
    ["what is required together", { ...open("a", "b"), anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
  ])("closes an object that several schemas are about once, so that there is a value for it: %s", (_name, inner) => {
    const $defs = { a: open("a"), b: open("b"), c: open("c") };
    for (const profile of [openaiStrict, anthropicStrict]) {
      const adapted = adapt(object({ x: inner }, { required: ["x"], $defs }), profile);
      const validate = new Ajv2020({ strict: false }).compile(adapted.schema);
      const values = [
        { a: "1", b: "1" },
        { a: "1", b: null },
      ].filter((x) => validate({ x }));
      expect(values, JSON.stringify(adapted.schema)).not.toEqual([]);
      expect(adapted.accepts).toBe("less");
    }
  });

  it("refuses strict mode where null and nothing are two things, and knows that a default of null makes them one", () => {
    const nullable = { anyOf: [{ type: "string" }, { type: "null" }] };
    const reason = "the API does not take a property that may be left out and may be null";
    expect(adaptSchema(object({ a: nullable }), openaiStrict)).toEqual({ ok: false, reason });
    expect(adapt(object({ a: { ...nullable, default: null } }), openaiStrict).restore({ a: null })).toEqual({});
    expect(adapt(object({ a: nullable }, { required: ["a"] }), openaiStrict).restore({ a: null })).toEqual({ a: null });
    // In one part of a union it may be left out, in another it is null.
    const parts = [object({ a: { type: "string" } }), object({ a: { type: "null" } }, { required: ["a"] })];
    expect(adaptSchema(object({ u: { anyOf: parts } }, { required: ["u"] }), openaiStrict)).toEqual({
      ok: false,
      reason,
    });
  });

  it.each(everyProfile)(
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
      expect(kept["default"] ?? data).toBe(data);
    },
  );

  it("puts back names that an API does not take", () => {
    const adapted = adapt(
      object({ "page size": { type: "integer" }, page: { type: "integer" } }, { required: ["page size"] }),
      geminiJsonSchema,
    );
    const { schema } = adapted;
    const [odd = ""] = Object.keys(schema["properties"] as object);
    expect(odd).toMatch(/^page_size_[0-9a-f]{8}$/);
    expect(schema["required"]).toEqual([odd]);
    expect(adapted.accepts).toBe("same");
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

  it("looks at each anchor of a schema as often, however many there are", () => {
    const looksAtEach = (count: number): number => {
      let looks = 0;
      const names = Array.from({ length: count }, (_, at) => `a${at}`);
      const anchored = (name: string): JsonObject => ({
        type: "string",
        get $anchor() {
          looks += 1;
          return name;
        },
      });
      const schema = {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, { $ref: `#${name}` }])),
        $defs: Object.fromEntries(names.map((name) => [name, anchored(name)])),
      };
      expect(adaptSchema(schema, geminiJsonSchema)).toMatchObject({ ok: true, accepts: "same" });
      return looks / count;
    };
    expect(looksAtEach(200)).toBe(looksAtEach(20));
  });

  it("folds a union of the arguments into one object, and says in words what belongs together", () => {
    const part = (kind: string, name: string): JsonObject =>
      object({ kind: { const: kind }, [name]: { type: "string" } }, { required: ["kind", name] });
    const { schema, accepts } = adapt({ type: "object", oneOf: [part("a", "path"), part("b", "url")] }, anthropic);
    expect(schema).toEqual({
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, path: { type: "string" }, url: { type: "string" } },
      required: ["kind"],
      additionalProperties: false,
      description: 'Give the members of one of these: kind = "a": kind, path; or kind = "b": kind, url.',
    });
    expect(accepts).toBe("other");
  });

  it("cuts what leads back to itself, keeps it where it is taken, and fetches nothing", () => {
    const tree = object(
      { node: { $ref: "#/definitions/n" } },
      { definitions: { n: object({ next: { $ref: "#/definitions/n" } }) } },
    );
    expect(adapt(tree, geminiParameters).schema["properties"]).toEqual({
      node: { type: "object", properties: { next: { type: "object" } } },
    });
    expect(adapt(tree, openaiChat).schema).toBe(tree);
    const remote = object({ a: { $ref: "https://example.com/a.json", description: "An a." } });
    expect(adapt(remote, openaiChat).schema["properties"]).toEqual({ a: { description: "An a." } });
  });

  it("drops nothing inside not, where that would make the whole take less", () => {
    const schema = object({ a: { type: "string", not: { type: "string", pattern: "(?=x)y" } }, n: { type: "array" } });
    const { properties } = adapt(schema, openaiChat).schema as { properties: { a: JsonObject } };
    expect(properties.a).toEqual({ type: "string", description: 'Also: {"not":{"type":"string","pattern":"(?=x)y"}}' });
  });

  it("says in words what an API does not take, at most 300 characters of each", () => {
    const schema = object({
      a: { type: "string", description: "An a.", pattern: "^a$", minLength: 3 },
      b: { type: "string", pattern: "b".repeat(1000) },
    });
    const { properties } = adapt(schema, geminiJsonSchema).schema as {
      properties: { a: JsonObject; b: { description: string } };
    };
    expect(properties.a).toEqual({ type: "string", description: 'An a.\n\nAlso: {"pattern":"^a$"} {"minLength":3}' });
    expect(properties.b.description.length).toBeLessThan(320);
  });

  it("writes oneOf as anyOf, and says so where several of its parts may fit", () => {
    const kind = (value: string): JsonObject => object({ kind: { const: value } }, { required: ["kind"] });
    const oneOf = (...parts: readonly JsonObject[]): JsonObject => object({ u: { oneOf: parts } });
    expect(adapt(oneOf(kind("a"), kind("b")), geminiJsonSchema).accepts).toBe("same");
    expect(adapt(oneOf({ type: "string" }, { type: "array", items: {} }), geminiJsonSchema).accepts).toBe("same");
    expect(adapt(oneOf(kind("a"), kind("a")), geminiJsonSchema).accepts).toBe("more");
    expect(adapt(oneOf({ type: "number" }, { type: "integer" }), geminiJsonSchema).accepts).toBe("more");
  });

  it.each([
    [
      { type: ["string", "null"], enum: ["a", null] },
      { type: "string", enum: ["a"], nullable: true },
    ],
    [
      { anyOf: [{ const: "a" }, { type: "null" }], description: "d" },
      { type: "string", enum: ["a"], nullable: true, description: "d" },
    ],
    [{ type: ["string", "integer"], minLength: 1 }, { anyOf: [{ type: "string", minLength: 1 }, { type: "integer" }] }],
    [
      { type: "integer", exclusiveMinimum: 0 },
      { type: "integer", minimum: 1 },
    ],
    [{ allOf: [{ type: "string" }, { enum: ["a", 1] }] }, { type: "string", description: 'Also: {"enum":["a",1]}' }],
    [
      { anyOf: [{ minimum: 1 }, { minimum: 3 }], type: "integer" },
      {
        anyOf: [
          { minimum: 1, type: "integer" },
          { minimum: 3, type: "integer" },
        ],
      },
    ],
  ])("writes %j as Gemini's older dialect wants it", (given, expected) => {
    expect(adapt(object({ a: given }), geminiParameters).schema["properties"]).toEqual({ a: expected });
  });

  it("leaves out a schema of arguments that are no object", () => {
    const reason = "the API does not take arguments that are no object";
    expect(adaptSchema({ type: "array" }, openaiChat)).toEqual({ ok: false, reason });
    expect(adaptSchema([] as never, openaiChat).ok).toBe(false);
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
    const profiles = [openaiStrict, geminiJsonSchema, portable];
    let results: readonly ReturnType<typeof adaptSchema>[] = [];
    const seconds = await cpuSecondsOf(() => (results = profiles.map((profile) => adaptSchema(schema, profile))));
    expect(seconds).toBeLessThan(15);
    for (const adapted of results) {
      const length = adapted.ok && adapted.schema !== schema ? JSON.stringify(adapted.schema).length : 0;
      expect(length).toBeLessThan(1_100_000);
    }
  });
});
