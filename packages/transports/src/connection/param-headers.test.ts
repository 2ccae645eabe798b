import { describe, expect, it } from "vitest";
import { findParamHeaders, mirrorParams } from "./param-headers.ts";

describe("findParamHeaders()", () => {
  it("finds declarations at any depth of properties", () => {
    const schema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        filter: { type: "object", properties: { limit: { type: "integer", "x-mcp-header": "Limit" } } },
        "x-mcp-header": { type: "string" },
      },
    };
    expect(findParamHeaders(schema)).toEqual({
      headers: [
        { path: ["region"], header: "mcp-param-region" },
        { path: ["filter", "limit"], header: "mcp-param-limit" },
      ],
    });
  });

  it.each([
    { name: "an empty name", schema: props({ a: { type: "string", "x-mcp-header": "" } }), fault: "is no header name" },
    {
      name: "a name with a space",
      schema: props({ a: { type: "string", "x-mcp-header": "a b" } }),
      fault: "is no header name",
    },
    {
      name: "a name with a line break",
      schema: props({ a: { type: "string", "x-mcp-header": "a\r\nb" } }),
      fault: "is no header name",
    },
    {
      name: "a name beyond ASCII",
      schema: props({ a: { type: "string", "x-mcp-header": "É" } }),
      fault: "is no header name",
    },
    {
      name: "a name that is no string",
      schema: props({ a: { type: "string", "x-mcp-header": 1 } }),
      fault: "is no header name",
    },
    {
      name: "two names that differ in case",
      schema: props({ a: { type: "string", "x-mcp-header": "Key" }, b: { type: "string", "x-mcp-header": "KEY" } }),
      fault: "is declared twice",
    },
    { name: "an object", schema: props({ a: { type: "object", "x-mcp-header": "A" } }), fault: "needs the type" },
    { name: "a number", schema: props({ a: { type: "number", "x-mcp-header": "A" } }), fault: "needs the type" },
    { name: "no type", schema: props({ a: { "x-mcp-header": "A" } }), fault: "needs the type" },
    { name: "the root", schema: { type: "string", "x-mcp-header": "A" }, fault: "stands where no single argument is" },
    {
      name: "array items",
      schema: props({ a: { items: { type: "string", "x-mcp-header": "A" } } }),
      fault: "stands where",
    },
    {
      name: "an alternative",
      schema: { anyOf: [props({ a: { type: "string", "x-mcp-header": "A" } })] },
      fault: "stands where",
    },
    { name: "a definition", schema: { $defs: { d: { type: "string", "x-mcp-header": "A" } } }, fault: "stands where" },
  ])("finds the fault of $name", ({ schema, fault }) => {
    expect(findParamHeaders(schema).fault).toContain(fault);
  });

  it("takes a list of schemas one level deep, and no list for a table of schemas", () => {
    const declaring = props({ a: { type: "string", "x-mcp-header": "A" } });
    expect(findParamHeaders({ allOf: [[declaring]], $defs: [declaring] })).toEqual({ headers: [] });
  });

  it("does not mind the keyword where no schema is", () => {
    const schema = props({ a: { type: "object", default: { "x-mcp-header": "" }, enum: [{ "x-mcp-header": "" }] } });
    expect(findParamHeaders(schema)).toEqual({ headers: [] });
  });
});

describe("mirrorParams()", () => {
  const declared = [
    { path: ["region"], header: "mcp-param-region" },
    { path: ["filter", "limit"], header: "mcp-param-limit" },
  ];

  it.each([
    { value: "eu-west", text: "eu-west" },
    { value: "a b\tc", text: "a b\tc" },
    { value: "", text: "=?base64??=" },
    { value: " padded ", text: "=?base64?IHBhZGRlZCA=?=" },
    { value: "Zürich", text: "=?base64?WsO8cmljaA==?=" },
    { value: "a\r\nx: y", text: "=?base64?YQ0KeDogeQ==?=" },
    { value: "=?base64?aGk=?=", text: "=?base64?PT9iYXNlNjQ/YUdrPT89?=" },
    { value: true, text: "true" },
    { value: 42, text: "42" },
  ])("sends $value as $text", ({ value, text }) => {
    expect(mirrorParams(declared, { region: value })).toEqual({ "mcp-param-region": text });
  });

  it("sends no header for what is absent, null, no plain value, or too large to be exact", () => {
    expect(mirrorParams(declared, {})).toEqual({});
    expect(mirrorParams(declared, { region: null, filter: [] })).toEqual({});
    expect(mirrorParams(declared, { region: { a: 1 }, filter: { limit: 2 ** 60 } })).toEqual({});
    expect(mirrorParams(declared, { filter: { limit: 3 } })).toEqual({ "mcp-param-limit": "3" });
  });

  it("looks at the arguments' own members only", () => {
    expect(mirrorParams([{ path: ["constructor"], header: "mcp-param-c" }], {})).toEqual({});
  });
});

function props(properties: Record<string, object>) {
  return { type: "object", properties: JSON.parse(JSON.stringify(properties)) };
}
