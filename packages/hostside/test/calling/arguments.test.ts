import fc from "fast-check";
import type { JsonObject, JsonValue } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { readArguments } from "../../src/cli/calling/call-tool.ts";
import { coerceText, describeKinds } from "../../src/cli/values/coerce-text.ts";
import { readParameters } from "../../src/cli/values/parameters.ts";

const noFiles = async (): Promise<Uint8Array> => {
  throw new Error("no file is to be read");
};

async function read(
  tokens: readonly string[],
  root: JsonObject,
  { base = {}, files = {} }: { readonly base?: JsonObject; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<JsonObject> {
  const readSource = async (name: string): Promise<Uint8Array> =>
    Object.hasOwn(files, name) ? Buffer.from(files[name] ?? "", "latin1") : noFiles();
  return readArguments(tokens, { parameters: readParameters(root), readBase: async () => base, readSource });
}

function schemaOf(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...rest };
}

const mixed = schemaOf({
  pin: { type: "string" },
  count: { type: "integer" },
  ratio: { type: "number" },
  dry: { type: "boolean" },
  tags: { type: "array", items: { type: "string" } },
  sizes: { type: "array", items: { type: "integer" } },
  mode: { enum: ["fast", "slow", 3, null] },
  box: { type: "object", properties: { depth: { type: "integer" }, "a.b": { type: "string" } } },
  either: { anyOf: [{ type: "string" }, { type: "number" }] },
  level: { type: ["integer", "null"] },
  auto: { anyOf: [{ const: "auto" }, { type: "integer" }] },
  anything: {},
  "my name": { type: "string" },
  maxItems: { type: "integer" },
  "no-cache": { type: "boolean" },
  größe: { type: "string" },
  bytes: { type: "string", contentEncoding: "base64" },
});

describe("arguments from options", () => {
  it.each<[readonly string[], JsonObject]>([
    [["--pin", "000123"], { pin: "000123" }],
    [["--pin=1e3", "--count", "-5", "--ratio", "1e3"], { pin: "1e3", count: -5, ratio: 1000 }],
    [["--pin", "null"], { pin: "null" }],
    [["--pin="], { pin: "" }],
    [["--pin", "-x"], { pin: "-x" }],
    [["--pin=--x=y"], { pin: "--x=y" }],
    [["--dry", "--pin", "a"], { dry: true, pin: "a" }],
    [["--dry", "false"], { dry: false }],
    [["--dry=false"], { dry: false }],
    [["--no-dry"], { dry: false }],
    [["--no-cache"], { "no-cache": true }],
    [["--tags", "a", "--tags", "[b"], { tags: ["a", "[b"] }],
    [["--tags", "one"], { tags: ["one"] }],
    [["--tags", '["a","b"]'], { tags: ["a", "b"] }],
    [["--sizes", "1", "--sizes=2"], { sizes: [1, 2] }],
    [["--mode", "3"], { mode: 3 }],
    [["--mode", "null"], { mode: null }],
    [["--mode", "slow"], { mode: "slow" }],
    [["--box", '{"depth": 1}'], { box: { depth: 1 } }],
    [["--either", "5"], { either: "5" }],
    [["--level", "null"], { level: null }],
    [["--level", "7"], { level: 7 }],
    [["--auto", "auto"], { auto: "auto" }],
    [["--auto", "1"], { auto: 1 }],
    [["--anything", "1"], { anything: "1" }],
    [["--my name", "x"], { "my name": "x" }],
    [["--my-name", "x"], { "my name": "x" }],
    [["--max-items", "1"], { maxItems: 1 }],
    [["--größe", "XL"], { größe: "XL" }],
    [["--pin", "@@home"], { pin: "@home" }],
  ])("reads %j", async (tokens, args) => {
    expect(await read(tokens, mixed)).toEqual(args);
  });

  it("reads files as text, and as base64 where the schema says so", async () => {
    const files = { "a.txt": "000\n", "a.json": "[1, 2]", "a.bin": "\u00FF\u0000" };
    const tokens = ["--pin", "@a.txt", "--sizes", "@a.json", "--bytes", "@a.bin"];
    expect(await read(tokens, mixed, { files })).toEqual({ pin: "000\n", sizes: [1, 2], bytes: "/wA=" });
    await expect(read(["--pin", "@a.bin"], mixed, { files })).rejects.toThrow("not UTF-8");
  });

  it("lets single options win over JSON", async () => {
    const base = { pin: "1", box: { depth: 1, x: 2 }, other: true };
    expect(await read(["--pin", "2"], mixed, { base })).toEqual({ ...base, pin: "2" });
  });

  it.each<[readonly string[], string]>([
    [["--count", "1.5"], "--count must be an integer"],
    [["--count", "0x10"], "--count must be an integer"],
    [["--count", "12345678901234567890"], "a number of at most 15 digits"],
    [["--ratio", "NaN"], "--ratio must be a number"],
    [["--mode", "medium"], '--mode must be one of "fast", "slow", 3, null'],
    [["--auto", "x"], '--auto must be "auto", or an integer'],
    [["--sizes", "1", "--sizes", "x"], "--sizes must be an integer"],
    [["--sizes", "x"], "each entry must be an integer"],
    [["--box", "x"], "an object as JSON"],
    [["--count", "1", "--count", "2"], "given 2 times"],
    [["--pin"], "--pin needs a value"],
    [["--pin", "--count", "1"], "--pin needs a value"],
    [["--cuont", "1"], "no parameter --cuont"],
    [["--no-count"], "no parameter --no-count"],
    [["--box.deep", "1"], "no parameter --box.deep"],
    [["pin=1"], '"pin=1" is no option'],
    [["-p"], '"-p" is no option'],
  ])("refuses %j", async (tokens, message) => {
    await expect(read(tokens, mixed)).rejects.toThrow(message);
  });

  it("names what is near, and what the tool takes", async () => {
    await expect(read(["--cout", "1"], mixed)).rejects.toMatchObject({
      hint: expect.stringMatching(/^Did you mean --count\? The tool takes --pin, --count, /),
    });
  });

  it("requires what every branch of a schema requires, and its own", () => {
    const ofBranches = (name: string): JsonObject => schemaOf({ [name]: { type: "string" } }, { required: [name] });
    const schema = schemaOf({ a: { type: "string" } }, { required: ["a"], anyOf: [ofBranches("b"), ofBranches("c")] });
    const required = [...readParameters(schema).byName.values()].filter(({ isRequired }) => isRequired);
    expect(required.map(({ name }) => name)).toEqual(["a"]);
  });

  it("takes other names where the schema does", async () => {
    const open = schemaOf({ a: { type: "integer" } }, { additionalProperties: true });
    expect(await read(["--b", "1", "--a", "1"], open)).toEqual({ b: "1", a: 1 });
    expect(await read(["--b", "1"], { type: "object" })).toEqual({ b: "1" });
    await expect(read(["--b", "1"], schemaOf({}))).rejects.toThrow("no parameter --b");
  });
});

describe("schemas of servers that mean no good", () => {
  const hostile = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"}}}',
  );

  it("sends an argument called __proto__, and sets no prototype", async () => {
    const args = await read(["--__proto__", "1", "--constructor", "x"], hostile);
    expect(Object.entries(args)).toEqual([
      ["__proto__", 1],
      ["constructor", "x"],
    ]);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });

  it("reads a thousand parameters, and references that never end", async () => {
    const many = schemaOf(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, { type: "integer" }])));
    expect(await read(["--p999", "1"], many)).toEqual({ p999: 1 });
    const loop: JsonObject = {
      ...schemaOf({ a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/b" }, c: { $ref: "#" } }),
      $defs: {
        a: { $ref: "#/$defs/a" },
        b: { anyOf: Array.from({ length: 60 }, () => ({ $ref: "#/$defs/b" })), allOf: [{ $ref: "#/$defs/b" }] },
      },
      anyOf: Array.from({ length: 60 }, () => ({ $ref: "#" })),
    };
    expect(await read(["--a", "1", "--b", "2"], loop)).toEqual({ a: "1", b: "2" });
  });

  it("follows references, and what allOf narrows", async () => {
    const schema: JsonObject = {
      ...schemaOf({ n: { $ref: "#/$defs/n~1m" }, e: { allOf: [{ type: "number" }, { enum: [1, 2, "3"] }] } }),
      $defs: { "n/m": { type: "integer", description: "a number" } },
    };
    expect(await read(["--n", "4", "--e", "2"], schema)).toEqual({ n: 4, e: 2 });
    await expect(read(["--e", "3"], schema)).rejects.toThrow("--e must be one of 1, 2");
  });

  test.prop([fc.jsonValue(), fc.string()])("throws for no schema and no text", (schema, text) => {
    const root = { properties: { a: schema as JsonValue }, anyOf: schema as JsonValue };
    readParameters(root);
    coerceText(text, schema);
    describeKinds(schema);
  });
});

const leaf = fc.oneof(
  fc.record({ schema: fc.constant({ type: "string" }), value: fc.string() }),
  fc.record({ schema: fc.constant({ type: "integer" }), value: fc.maxSafeInteger() }),
  fc.record({
    schema: fc.constant({ type: "number" }),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  }),
  fc.record({ schema: fc.constant({ type: "boolean" }), value: fc.boolean() }),
  fc.record({ schema: fc.constant({ type: "null" }), value: fc.constant(null) }),
  fc.record({
    schema: fc.constant({ type: "array", items: { type: "string" } }),
    value: fc.array(fc.string(), { minLength: 2 }),
  }),
  fc.record({ schema: fc.constant({ type: "object" }), value: fc.dictionary(fc.string(), fc.jsonValue()) }),
  fc.record({ schema: fc.constant({}), value: fc.string() }),
);
// "=" divides.
const name = fc.string({ minLength: 1 }).filter((text) => !text.includes("="));

function optionsOf(key: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => optionsOf(key, entry));
  const text = typeof value === "string" ? value.replace(/^@/, "@@") : JSON.stringify(value);
  return [`--${key}=${text}`];
}

describe("options and JSON", () => {
  test.prop([fc.dictionary(name, leaf, { maxKeys: 6 })])("make the same arguments", async (members) => {
    const entries = Object.entries(members);
    const root = schemaOf(Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])));
    const args = JSON.parse(
      JSON.stringify(Object.fromEntries(entries.map(([key, { value }]) => [key, value]))),
    ) as JsonObject;
    const tokens = entries.flatMap(([key, { value }]) => optionsOf(key, value));
    expect(await read(tokens, root)).toEqual(args);
    expect(await read([], root, { base: args })).toEqual(args);
  });

  test.prop([fc.string(), fc.constantFrom<JsonObject>({ type: "string" }, {}, { type: ["string", "number"] })])(
    "leave a text a text where the schema calls nothing a number",
    (text, schema) => {
      expect(coerceText(text, schema)).toEqual({ kind: "value", value: text });
    },
  );
});
