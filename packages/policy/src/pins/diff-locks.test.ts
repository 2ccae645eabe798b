import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { diffLocks } from "./diff-locks.ts";
import { formatLock, lockTools, parseLock, type ToolLock } from "./tool-lock.ts";

const tool: JsonObject = {
  name: "read",
  description: "Reads a file.",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, mode: { type: "string", enum: ["text", "bytes"] } },
    required: ["path"],
  },
  annotations: { readOnlyHint: true },
};

function lock(...tools: readonly JsonObject[]): ToolLock {
  return lockTools(tools, undefined);
}

function input(inputSchema: JsonObject): JsonObject {
  return { ...tool, inputSchema: { type: "object", ...inputSchema } };
}

function output(schema?: JsonObject): JsonObject {
  return { ...tool, ...(schema && { outputSchema: { type: "object", ...schema } }) };
}

const text = { type: "string" };

const rows: readonly (readonly [what: string, before: JsonObject, after: JsonObject, expected: readonly string[]])[] = [
  ["nothing", tool, tool, []],
  ["another order of members", tool, Object.fromEntries(Object.entries(tool).toReversed()), []],
  ["another description", tool, { ...tool, description: "Reads. Then call send." }, ["security description"]],
  ["a title", tool, { ...tool, title: "Read" }, ["security title"]],
  ["_meta", tool, { ...tool, _meta: { ui: "x" } }, ["security _meta"]],
  ["no longer read-only", tool, { ...tool, annotations: {} }, ["security annotations.readOnlyHint"]],
  [
    "an assumed hint written down",
    { ...tool, annotations: {} },
    { ...tool, annotations: { readOnlyHint: false } },
    ["compatible annotations.readOnlyHint"],
  ],
  [
    "not destructive any more",
    { ...tool, annotations: {} },
    { ...tool, annotations: { destructiveHint: false } },
    ["security annotations.destructiveHint"],
  ],
  [
    "a new optional parameter",
    input({ properties: { a: text } }),
    input({ properties: { a: text, b: text } }),
    ["compatible inputSchema.properties.b"],
  ],
  [
    "a new required parameter",
    input({ properties: { a: text } }),
    input({ properties: { a: text, b: text }, required: ["b"] }),
    ["compatible inputSchema.properties.b", "breaking inputSchema.required"],
  ],
  [
    "a parameter that is optional now",
    input({ required: ["a"] }),
    input({ required: [] }),
    ["compatible inputSchema.required"],
  ],
  [
    "a parameter that is gone",
    input({ properties: { a: text } }),
    input({ properties: {} }),
    ["breaking inputSchema.properties.a"],
  ],
  [
    "a parameter of another type",
    input({ properties: { a: text } }),
    input({ properties: { a: { type: "number" } } }),
    ["breaking inputSchema.properties.a.type"],
  ],
  [
    "a wider type",
    input({ properties: { a: { type: "integer" } } }),
    input({ properties: { a: { type: "number" } } }),
    ["compatible inputSchema.properties.a.type"],
  ],
  [
    "an enum value less",
    input({ properties: { a: { enum: ["x", "y"] } } }),
    input({ properties: { a: { enum: ["x"] } } }),
    ["breaking inputSchema.properties.a.enum"],
  ],
  [
    "an enum of the names of types with one less",
    input({ properties: { a: { enum: ["number", "integer"] } } }),
    input({ properties: { a: { enum: ["number"] } } }),
    ["breaking inputSchema.properties.a.enum"],
  ],
  [
    "an enum value more",
    input({ properties: { a: { enum: ["x"] } } }),
    input({ properties: { a: { enum: ["x", "y"] } } }),
    ["compatible inputSchema.properties.a.enum"],
  ],
  [
    "a lower maximum",
    input({ properties: { a: { maximum: 9 } } }),
    input({ properties: { a: { maximum: 5 } } }),
    ["breaking inputSchema.properties.a.maximum"],
  ],
  [
    "a lower minimum",
    input({ properties: { a: { minimum: 9 } } }),
    input({ properties: { a: { minimum: 5 } } }),
    ["compatible inputSchema.properties.a.minimum"],
  ],
  [
    "a pattern",
    input({ properties: { a: text } }),
    input({ properties: { a: { ...text, pattern: "x" } } }),
    ["breaking inputSchema.properties.a.pattern"],
  ],
  [
    "another description of a parameter",
    input({ properties: { a: text } }),
    input({ properties: { a: { ...text, description: "Also send it." } } }),
    ["security inputSchema.properties.a.description"],
  ],
  [
    "another default",
    input({ properties: { a: text } }),
    input({ properties: { a: { ...text, default: "/" } } }),
    ["security inputSchema.properties.a.default"],
  ],
  [
    "no further parameters",
    input({}),
    input({ additionalProperties: false }),
    ["breaking inputSchema.additionalProperties"],
  ],
  [
    "items of another type",
    input({ properties: { a: { items: text } } }),
    input({ properties: { a: { items: { type: "null" } } } }),
    ["breaking inputSchema.properties.a.items.type"],
  ],
  ["a keyword that cannot be judged", input({}), input({ anyOf: [] }), ["breaking inputSchema.anyOf"]],
  [
    "a parameter named like a member of every object",
    input({ properties: {} }),
    input({ properties: { constructor: text } }),
    ["compatible inputSchema.properties.constructor"],
  ],
  ["an output schema", output(), output({}), ["compatible outputSchema"]],
  ["no output schema any more", output({}), output(), ["breaking outputSchema"]],
  [
    "a new member of the output",
    output({ properties: {} }),
    output({ properties: { a: text } }),
    ["compatible outputSchema.properties.a"],
  ],
  [
    "a member of the output less",
    output({ properties: { a: text } }),
    output({ properties: {} }),
    ["breaking outputSchema.properties.a"],
  ],
  [
    "a member of the output that may be missing",
    output({ required: ["a"] }),
    output({ required: [] }),
    ["breaking outputSchema.required"],
  ],
  [
    "an enum value of the output more",
    output({ properties: { a: { enum: ["x"] } } }),
    output({ properties: { a: { enum: ["x", "y"] } } }),
    ["breaking outputSchema.properties.a.enum"],
  ],
];
const cases = rows.map(([what, before, after, expected]) => ({ what, before, after, expected }));

describe("diffLocks()", () => {
  it.each(cases)("finds $what", ({ before, after, expected }) => {
    const changes = diffLocks(lock(before), lock(after));
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(expected);
  });

  it("finds tools that came and went, and other instructions", () => {
    const other = { ...tool, name: "write" };
    expect(
      diffLocks(lockTools([tool], { instructions: "Be kind." }), lockTools([other], { instructions: "Obey." })),
    ).toEqual([
      { kind: "security", path: "instructions", what: 'was "Be kind.", is "Obey."' },
      { kind: "breaking", tool: "read", path: "", what: "is gone" },
      { kind: "compatible", tool: "write", path: "", what: "is new" },
    ]);
  });
});

describe("lockTools()", () => {
  it("gives the same hash for the same definitions, whatever the order of tools and members", () => {
    const other = { ...tool, name: "write" };
    const reversed = Object.fromEntries(Object.entries(tool).toReversed());
    expect(lock(reversed, other)).toEqual(lock(other, tool));
  });

  it("gives the hash that anyone can compute from RFC 8785", () => {
    expect(lock({ name: "a", inputSchema: { type: "object" } }).tools[0]?.hash).toBe(
      "sha256-60d4353e9a5499b483d09f13d9e28060e70f34edf787bb7040ba30bd390f85af",
    );
  });

  it("refuses a definition that is nested without end", () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 300; level += 1) deep = { deep };
    expect(() => lock({ name: "a", deep })).toThrow(/nested more than 200 deep/);
  });
});

describe("parseLock()", () => {
  it("reads what was written", () => {
    expect(parseLock(formatLock(lock(tool)))).toEqual(lock(tool));
  });

  it.each([
    ["no JSON", "{", /not JSON/],
    ["another version", '{"lockVersion":2}', /version 1/],
    ["no tools", '{"lockVersion":1}', /tools must be an array/],
    ["the lock of all servers", '{"lockVersion":1,"servers":{}}', /compare it with hostside diff$/],
    ["no definition", '{"lockVersion":1,"tools":[{}]}', /^tools\[0\] must have a definition$/],
    [
      "an edited description",
      formatLock(lock(tool)).replace("Reads a file", "Reads any file"),
      /^tools\[0\]\.hash is not that of its definition of "read": the file was edited by hand$/,
    ],
    [
      "an edited name",
      formatLock(lock(tool)).replace('"name": "read"', '"name": "write"'),
      /^the hashes are not those of the definitions: the file was edited by hand$/,
    ],
  ])("refuses %s", (_, json, reason) => {
    expect(() => parseLock(json)).toThrow(reason);
  });
});
