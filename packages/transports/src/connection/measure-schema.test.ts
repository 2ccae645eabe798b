import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureSchema, type SchemaLimits } from "./parse-tool.ts";

const generous = { maxSchemaDepth: 64, maxSchemaLength: 65_536 };

describe("findSchemaExcess()", () => {
  it("refuses a schema that is nested deeper than the limit, and takes one that is not", () => {
    expect(findSchemaExcess(nested(64), generous)).toBeUndefined();
    expect(findSchemaExcess(nested(65), generous)).toBe("its schema is nested deeper than 64 levels");
  });

  it("survives nesting that would exhaust the stack (faults 48, 106)", () => {
    expect(findSchemaExcess(nested(100_000), generous)).toContain("nested deeper");
  });

  it.each([
    { name: "plain text", schema: { a: "x".repeat(50), b: [1, true, null, { c: "d" }], e: {}, f: [] } },
    { name: "text that escaping lengthens", schema: { a: '\u0000"\\\n'.repeat(10), 'k"ey': 1.5e-9 } },
  ])("measures $name as JSON.stringify does, to the unit", ({ schema }) => {
    const { length } = JSON.stringify(schema);
    expect(findSchemaExcess(schema, { ...generous, maxSchemaLength: length })).toBeUndefined();
    expect(findSchemaExcess(schema, { ...generous, maxSchemaLength: length - 1 })).toContain("longer than");
  });

  it("hands out the schema and every object and array in it", () => {
    const [inner, list] = [{ type: "string" }, ["a", "b"]];
    const properties = { a: inner };
    const schema = { properties, required: list, title: null };
    const nodes: object[] = [];
    expect(measureSchema(schema, generous, nodes)).toBe(JSON.stringify(schema).length);
    expect(nodes).toEqual([schema, properties, list, inner]);
  });

  it("never disagrees with JSON.stringify", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const schema: object = JSON.parse(JSON.stringify(value));
        const { length } = JSON.stringify(schema);
        const limits = { maxSchemaDepth: 1000, maxSchemaLength: length };
        expect(findSchemaExcess(schema, limits)).toBeUndefined();
        expect(findSchemaExcess(schema, { ...limits, maxSchemaLength: length - 1 })).toBeDefined();
      }),
    );
  });
});

function nested(levels: number): object {
  let schema: object = {};
  for (let level = 1; level < levels; level += 1) schema = { properties: schema };
  return schema;
}

function findSchemaExcess(schema: object, limits: SchemaLimits): string | undefined {
  const measured = measureSchema(schema, limits);
  return typeof measured === "string" ? measured : undefined;
}
