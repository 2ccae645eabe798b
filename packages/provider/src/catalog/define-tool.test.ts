import type { RemoteTool, ToolDefinition } from "@hostside/core";
import { isPlainObject } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { defineTool, describeVerbatim, describeWithOrigin } from "./define-tool.ts";

describe("defineTool()", () => {
  const preface = "MCP server `s` tool `read`.";
  it.each<[string, RemoteTool, string]>([
    ["with a description", { name: "read", description: "Reads a file.", inputSchema: {} }, `${preface} Reads a file.`],
    ["without one", { name: "read", inputSchema: {} }, preface],
    ["with an empty one", { name: "read", description: "", inputSchema: {} }, preface],
    ["with space around it", { name: "read", description: " Reads. ", inputSchema: {} }, `${preface} Reads.`],
    ["that repeats the preface", { name: "read", description: preface, inputSchema: {} }, `${preface} ${preface}`],
  ])("leaves a tool %s as its server listed it", (_, tool, description) => {
    const listed = structuredClone(tool);
    expect(define(tool).description).toBe(description);
    expect(tool).toStrictEqual(listed);
  });

  it("takes a tool that cannot be changed", () => {
    const tool = Object.freeze({ name: "read", description: "Reads a file.", inputSchema: Object.freeze({}) });
    expect(define(tool).description).toBe(`${preface} Reads a file.`);
    expect(define(tool, describeVerbatim).description).toBe("Reads a file.");
  });

  it("makes plain data that nobody can change, whose fingerprint and entry show in no copy", () => {
    const tool = { name: "read", inputSchema: { type: "object", properties: { path: { type: "string" } } } };
    const definition: ToolDefinition = define(tool);
    expect(definition.fingerprint).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(definition.entry).toMatchObject(tool);
    expect(isPlainObject(definition)).toBe(true);
    // What others go by who ask whether something is plain: lodash and Immer.
    expect(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(definition), "constructor")?.value).toBe(Object);
    expect(Object.keys({ ...definition })).toEqual([
      "name",
      "description",
      "inputSchema",
      "effect",
      "origin",
      "groupIds",
    ]);
    expect("fingerprint" in { ...definition }).toBe(false);
    expect(JSON.stringify(definition)).not.toContain("sha256-");
    expect(Object.isFrozen(definition)).toBe(true);
    expect(Object.isFrozen(Object.getPrototypeOf(definition))).toBe(true);
  });

  it("gives no fingerprint to what only inherits from a definition", () => {
    const heir: ToolDefinition = Object.create(define({ name: "read", inputSchema: {} }));
    expect(heir.fingerprint).toBeUndefined();
    expect(heir.entry).toBeUndefined();
  });
});

function define(tool: RemoteTool, describeTool = describeWithOrigin): ReturnType<typeof defineTool> {
  const spec = { id: "s", type: "stdio", command: "x" } as const;
  return defineTool(tool, {
    spec,
    listed: { spec, replacements: 0, provider: {} },
    localName: "mcp_s_read",
    qualifier: "mcp::s::",
    groupIds: [],
    describe: describeTool,
  });
}
