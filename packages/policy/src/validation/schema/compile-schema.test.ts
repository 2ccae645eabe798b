import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../../../test/cpu-seconds.ts";
import { compileSchema, type ValidationResult } from "./compile-schema.ts";

const load = async () => RE2JS;

async function verdict(schema: unknown, value: unknown): Promise<ValidationResult> {
  return (await compileSchema(schema, load)).check(value);
}

async function violations(schema: unknown, value: unknown): Promise<readonly string[]> {
  const found = await verdict(schema, value);
  return found.kind === "invalid"
    ? found.violations.map(({ path, keyword, message }) => `${path} ${keyword}: ${message}`)
    : [];
}

/** What something settles with; fails if it takes long. */
async function promptly<T>(work: () => Promise<T>): Promise<T> {
  const settled: T[] = [];
  const seconds = await cpuSecondsOf(async () => settled.push(await work()));
  // Generous: what is not bounded takes minutes, or for ever.
  expect(seconds).toBeLessThan(12);
  return settled[0] as T;
}

const draft07 = "http://json-schema.org/draft-07/schema#";
const draft2020 = "https://json-schema.org/draft/2020-12/schema";

describe("compileSchema()", () => {
  it("says where and what, so that a model can mend its call", async () => {
    const schema = {
      type: "object",
      properties: {
        path: { type: "string", minLength: 2 },
        "a/b~c": { type: "array", items: { type: "integer", maximum: 9 } },
        mode: { enum: ["r", "w"] },
      },
      required: ["path", "mode"],
      additionalProperties: false,
    };
    expect(await violations(schema, { path: "x", "a/b~c": [1, "2", 10], more: true })).toEqual([
      ' required: must have the property "mode"',
      "/path minLength: must have at least 2 characters",
      "/a~1b~0c/1 type: must be integer",
      "/a~1b~0c/2 maximum: must be at most 9",
      "/more additionalProperties: must not be there",
    ]);
    expect(await violations(schema, { path: "x", mode: "rw" })).toContain('/mode enum: must be one of "r", "w"');
  });

  it("tells of the one schema of several that was meant", async () => {
    const either = [
      { properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["path"] },
      { properties: { kind: { const: "url" }, url: { type: "string" } }, required: ["url"] },
    ];
    for (const keyword of ["anyOf", "oneOf"]) {
      expect((await violations({ [keyword]: either }, { kind: "url" })).at(-1)).toBe(
        ' required: must have the property "url"',
      );
    }
    const optional = { properties: { n: { anyOf: [{ type: "integer" }, { type: "null" }] } } };
    expect(await violations(optional, { n: "1" })).toEqual([
      "/n anyOf: must fit at least one of 2 schemas: must be integer; or must be null",
    ]);
  });

  it("tells of no more than 20 things, and of none at length", async () => {
    const items = { items: { type: "string" } };
    expect(
      await violations(
        items,
        Array.from({ length: 1000 }, () => 1),
      ),
    ).toHaveLength(20);
    const name = "x".repeat(100_000);
    const seen = [
      ...(await violations({ properties: { [name]: false }, required: [`${name}y`] }, { [name]: 1 })),
      ...(await violations({ enum: [name] }, 1)),
      ...(await violations({ const: name }, 1)),
    ];
    expect(seen).toHaveLength(4);
    for (const text of seen) expect(text.length).toBeLessThan(1100);
  });

  it.each<[string, unknown, unknown, unknown]>([
    [
      "items as a list in draft-07",
      { $schema: draft07, items: [{ type: "string" }], additionalItems: false },
      ["a"],
      ["a", 1],
    ],
    [
      "definitions beside a $ref in draft-07",
      { $schema: draft07, $ref: "#/definitions/a", definitions: { a: { type: "null" } } },
      null,
      1,
    ],
    ["dependencies in draft-07", { $schema: draft07, dependencies: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
    [
      "prefixItems in 2020-12",
      { $schema: draft2020, prefixItems: [{ type: "string" }], items: false },
      ["a"],
      ["a", 1],
    ],
    ["2020-12 where nothing is said", { prefixItems: [{ type: "string" }] }, ["a"], [1]],
    [
      "a reference by the $id of the schema",
      { $id: "x:a", $ref: "x:a#/$defs/b", $defs: { b: { type: "null" } } },
      null,
      1,
    ],
    ["an older form where nothing is said", { items: [{ type: "string" }] }, ["a"], [1]],
    ["a pointer with escapes", { $defs: { "a/b c": { type: "null" } }, $ref: "#/$defs/a~1b%20c" }, null, 1],
    ["members of the prototype", { required: ["constructor"] }, { constructor: 1 }, {}],
    [
      "a member that is named __proto__",
      { properties: JSON.parse('{"__proto__":{"type":"null"}}') },
      JSON.parse('{"__proto__":null}'),
      JSON.parse('{"__proto__":1}'),
    ],
    ["decimals", { multipleOf: 0.0001 }, 0.0075, 0.00751],
    ["large and small numbers", { multipleOf: 1e-8 }, 12391239123, 1.5e-9],
    ["characters, not units", { maxLength: 1 }, "😀", "😀a"],
    [
      "the same item in another order",
      { uniqueItems: true },
      [{ a: 1, b: 2 }, { a: 1 }],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    ["integers that are written as decimals", { type: "integer" }, 1.0, 1.5],
    ["spaces of Unicode", { pattern: "^\\s$" }, "\u00a0", "x"],
    ["the end of a text, not of a line", { pattern: "^a$" }, "a", "a\n"],
    ["ends of lines", { pattern: "^a.b$" }, "a-b", "a\u2028b"],
    ["scripts", { pattern: "^\\p{Script=Greek}+$" }, "αβγ", "abc"],
    ["escapes of ECMAScript", { pattern: "^[\\u0041-\\u0043\\[]\\/\\x41$" }, "B/A", "D/A"],
  ])("knows %s", async (...[, schema, good, bad]) => {
    expect(await verdict(schema, good)).toEqual({ kind: "valid" });
    expect(await verdict(schema, bad)).toMatchObject({ kind: "invalid" });
  });

  it.each<[string, unknown]>([
    ["no such dialect", { $schema: "http://json-schema.org/draft-04/schema#" }],
    ["a reference to somewhere else", { $ref: "https://example.com/secret.json" }],
    ["a reference to a file", { $ref: "file:///etc/passwd" }],
    ["a reference to nowhere", { properties: { a: { $ref: "#/$defs/none" } } }],
    ["a reference that is no address", { $ref: "http://[" }],
    ["a reference to what is no schema", { $ref: "#/$defs", $defs: [] }],
    ["a part with an $id", { $ref: "#/$defs/a", $defs: { a: { $id: "x", $ref: "#/$defs/b", $defs: { b: {} } } } }],
    ["a reference to a name", { $ref: "#here", $defs: { a: { $anchor: "here", type: "null" } } }],
    ["a dynamic reference", { $dynamicAnchor: "node", properties: { a: { $dynamicRef: "#node" } } }],
    ["what nobody evaluated where it decides", { not: { properties: { a: true }, unevaluatedProperties: false } }],
    ["a type that does not exist", { type: "text" }],
    ["required that is no list", { required: "a" }],
    ["properties that are none", { properties: [] }],
    ["a property that is no schema", { properties: { a: 1 } }],
    ["an empty anyOf", { anyOf: [] }],
    ["a minimum that is a text", { minimum: "1" }],
    ["a count below 0", { minItems: -1 }],
    ["multiples of 0", { multipleOf: 0 }],
    ["what is no schema", 1],
    ["a text", "{}"],
    ["what is no JSON", { default: () => 1 }],
    ["a cycle of objects", cyclic()],
    ["20,000 levels", nest(20_000, (schema) => ({ properties: { a: schema } }))],
    ["too many values", { enum: Array.from({ length: 60_000 }, (_, index) => index) }],
    ["patterns that are too large", { pattern: "x{1000}".repeat(100) }],
    ["many large patterns", { anyOf: Array.from({ length: 100 }, (_, index) => ({ pattern: `[a-z]{900}${index}` })) }],
    ["patternProperties with look-ahead", { patternProperties: { "^(?!x)": true } }],
    ["look-ahead where what does not fit decides", { not: { pattern: "^(?!x)" } }],
  ])("refuses %s, and says why", async (_what, schema) => {
    const result = await promptly(() => compileSchema(schema, load).catch((error: unknown) => error));
    expect(result).toBeInstanceOf(TypeError);
    expect(String(result)).not.toContain("example.com");
  });

  it("takes a pattern that cannot be looked for to match, where that can only allow more", async () => {
    const compiled = await compileSchema({ properties: { a: { type: "string", pattern: "^(?!x)" } } }, load);
    expect(compiled.uncheckedPatterns).toBe(1);
    expect(compiled.check({ a: "x" })).toEqual({ kind: "valid" });
    expect(compiled.check({ a: 1 })).toMatchObject({ kind: "invalid" });
  });

  it("never loads the engine for a schema without patterns", async () => {
    const compiled = await compileSchema({ type: "object" }, () => Promise.reject(new Error("loaded")));
    expect(compiled.check({})).toEqual({ kind: "valid" });
  });

  it.each<[string, unknown, unknown, ValidationResult["kind"]]>([
    ["a pattern that backtracks", { pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`, "invalid"],
    ["a pattern that is quadratic", { pattern: "(x+x+)+y" }, "x".repeat(50_000), "invalid"],
    ["a pattern of thousands of states", { pattern: "(x?){900}x{30}$" }, "x".repeat(100_000), "too-much"],
    [
      "a name against a pattern",
      { patternProperties: { "^(a+)+$": false } },
      { [`${"a".repeat(50_000)}!`]: 1 },
      "valid",
    ],
    ["references that double 60 times", doubling(60), {}, "too-much"],
    ["references that double 60 times, beneath not", { ...doubling(60), $ref: "#/$defs/not" }, {}, "too-much"],
    ["a reference to itself", { $ref: "#" }, {}, "too-much"],
    ["a chain of 5,000 references", chain(5000), {}, "too-much"],
    ["a value of 20,000 levels", { properties: { a: { $ref: "#" } } }, nest(20_000, (a) => ({ a })), "too-much"],
    [
      "a list of 20,000 that must differ",
      { uniqueItems: true },
      Array.from({ length: 20_000 }, (_, i) => ({ i })),
      "valid",
    ],
    ["items of 20,000 levels that must differ", { uniqueItems: true }, [nest(20_000, (a) => [a])], "too-much"],
  ])("does not stall on %s", async (...[, schema, value, kind]) => {
    expect((await promptly(() => verdict(schema, value))).kind).toBe(kind);
  });

  it("does not let two schemas with one $id meet", async () => {
    const $id = "https://example.com/same";
    const one = await compileSchema({ $id, $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, load);
    const other = await compileSchema({ $id, $ref: "#/$defs/a", $defs: { a: { type: "number" } } }, load);
    expect([one.check("x").kind, one.check(1).kind, other.check("x").kind, other.check(1).kind]).toEqual([
      "valid",
      "invalid",
      "invalid",
      "valid",
    ]);
  });

  it("changes nothing of a schema, and makes no code", async () => {
    const schema = Object.freeze({
      $id: "https://x.test/",
      $ref: "#/$defs/a",
      $defs: Object.freeze({ a: Object.freeze({ pattern: "a" }) }),
    });
    const { Function: original } = globalThis;
    try {
      globalThis.Function = new Proxy(original, {
        construct: () => {
          throw new Error("makes code");
        },
      });
      expect((await verdict(schema, "b")).kind).toBe("invalid");
    } finally {
      globalThis.Function = original;
    }
  });
});

function nest(levels: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = around(value);
  return value;
}

function cyclic(): unknown {
  const schema: Record<string, unknown> = {};
  schema["properties"] = { a: schema, b: schema };
  return schema;
}

function doubling(times: number): Record<string, unknown> {
  const $defs: Record<string, unknown> = { [`a${times}`]: { type: "object" }, not: { not: { $ref: "#/$defs/a0" } } };
  for (let n = 0; n < times; n += 1)
    $defs[`a${n}`] = { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] };
  return { $id: "https://x.test/doubling", $ref: "#/$defs/a0", $defs };
}

function chain(length: number): unknown {
  const $defs: Record<string, unknown> = { [`a${length}`]: true };
  for (let n = 0; n < length; n += 1) $defs[`a${n}`] = { $ref: `#/$defs/a${n + 1}` };
  return { $ref: "#/$defs/a0", $defs };
}
