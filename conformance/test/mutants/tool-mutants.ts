import type { JsonObject } from "@hostside/fixtures";
import {
  goodTool,
  overHttp,
  overStdio,
  proceed,
  respond,
  result,
  rule,
  tool,
  withTool,
  type Mutant,
} from "./mutant.ts";

const failed = respond({ error: { code: -32_603, message: "Internal error" } });
const changed = { type: "send", message: { method: "notifications/tools/list_changed" } } as const;
const twoPages = { tools: [goodTool, tool("second")], pageSize: 1 };

function schema(inputSchema: JsonObject | null): JsonObject {
  return tool("odd", { inputSchema });
}

/** Servers whose listing is wrong. */
export const toolMutants: readonly Mutant[] = [
  overHttp("list-fails", "declares tools and does not list them", {
    rules: [rule("tools/list", undefined, failed)],
    fails: ["tools/list"],
  }),
  overHttp("list-no-array", "lists its tools as an object", {
    rules: [rule("tools/list", undefined, result({ tools: { echo: goodTool } }))],
    fails: ["tools/list"],
  }),
  overHttp("undeclared-tools", "lists tools that it does not declare", {
    capabilities: {},
    fails: ["tools/capability-honest"],
  }),
  overHttp("cursor-repeats", "gives the same cursor on every page", {
    rules: [
      rule("tools/list", { "params.cursor": null }, result({ tools: [goodTool], nextCursor: "x" })),
      rule("tools/list", { "params.cursor": "x" }, result({ tools: [tool("second")], nextCursor: "x" })),
    ],
    fails: ["tools/pagination-ends"],
  }),
  overHttp("cursor-ignored", "answers every cursor with the first page", {
    ...twoPages,
    rules: [
      rule("tools/list", { "params.cursor": "hostside-no-such-cursor" }, failed),
      rule("tools/list", undefined, result({ tools: [goodTool, tool("second")], nextCursor: "1" })),
    ],
    fails: ["tools/pagination-ends", "tools/unknown-cursor"],
  }),
  overHttp("cursor-null", "ends with the cursor null", {
    rules: [rule("tools/list", undefined, result({ tools: [goodTool], nextCursor: null }))],
    fails: ["tools/cursor-form"],
  }),
  overHttp("cursor-unstable", "answers a cursor only once", {
    ...twoPages,
    rules: [{ on: "tools/list", where: { "params.cursor": "1" }, from: 2, do: [result({ tools: [] })] }],
    fails: ["tools/cursor-stable", "tools/order-stable", "tools/restart-stable"],
  }),
  overHttp("any-cursor", "takes any cursor for the first page", {
    ...twoPages,
    rules: [rule("tools/list", { "params.cursor": "hostside-no-such-cursor" }, result({ tools: [goodTool] }))],
    fails: ["tools/unknown-cursor"],
  }),
  withTool("tool-null", "lists null among its tools", { tool: null, fails: ["tools/entries"] }),
  withTool("tool-without-name", "lists a tool without a name", {
    tool: { description: "Does it.", inputSchema: { type: "object", properties: {} } },
    fails: ["tools/entries"],
  }),
  withTool("description-no-text", "gives a description that is a list", {
    tool: tool("listed", { description: ["Does", "it"] }),
    fails: ["portability/description", "tools/entries"],
  }),
  overHttp("name-twice", "lists two tools of one name", {
    tools: [goodTool, tool("twice"), tool("twice")],
    fails: ["tools/name-unique"],
  }),
  withTool("name-with-space", "has a space in a name", {
    tool: tool("do it"),
    fails: ["portability/name-characters", "tools/name-form"],
  }),
  withTool("name-too-long", "has a name of 130 characters", {
    tool: tool("n".repeat(130)),
    fails: ["portability/name-length", "tools/name-form"],
  }),
  withTool("schema-missing", "has a tool without an input schema", {
    tool: { name: "bare", description: "Does it." },
    fails: ["tools/input-schema"],
  }),
  withTool("schema-null", "has null for an input schema", { tool: schema(null), fails: ["tools/input-schema"] }),
  withTool("schema-no-object", "has an input schema of type string", {
    tool: schema({ type: "string", properties: {} }),
    fails: ["tools/input-schema"],
  }),
  withTool("schema-invalid", "has a required that is no array", {
    tool: schema({ type: "object", properties: { a: { type: "string" } }, required: "a" }),
    fails: ["tools/schema-compiles"],
  }),
  withTool("schema-old-dialect", "names draft-04 as the dialect of a schema", {
    tool: schema({ $schema: "http://json-schema.org/draft-04/schema#", type: "object", properties: {} }),
    fails: ["tools/schema-compiles"],
  }),
  withTool("pattern-invalid", "has a pattern that is no regular expression", {
    tool: schema({ type: "object", properties: { a: { type: "string", pattern: "(" } } }),
    fails: ["tools/schema-compiles"],
  }),
  withTool("schema-remote", "refers to a schema on the network", {
    tool: schema({ type: "object", properties: { a: { $ref: "https://example.com/a.json" } } }),
    fails: ["tools/schema-local"],
  }),
  withTool("output-schema-null", "has null for an output schema", {
    tool: tool("odd", { outputSchema: null }),
    fails: ["tools/output-schema"],
  }),
  withTool("hint-as-text", "gives a hint as a text", {
    tool: tool("odd", { annotations: { readOnlyHint: "true" } }),
    fails: ["tools/annotations"],
  }),
  withTool("hints-contradict", "calls a tool read-only and destructive", {
    tool: tool("odd", { annotations: { readOnlyHint: true, destructiveHint: true } }),
    fails: ["tools/annotations"],
  }),
  withTool("header-name-empty", "mirrors a parameter into a header without a name", {
    tool: schema({ type: "object", properties: { region: { type: "string", "x-mcp-header": "" } } }),
    fails: ["tools/header-parameters"],
  }),
  withTool("header-of-object", "mirrors an object into a header", {
    tool: schema({ type: "object", properties: { region: { type: "object", "x-mcp-header": "Region" } } }),
    fails: ["tools/header-parameters"],
  }),
  overStdio("order-changes", "lists its tools in another order the second time", {
    tools: [goodTool, tool("second")],
    rules: [{ on: "tools/list", from: 2, do: [result({ tools: [tool("second"), goodTool] })] }],
    fails: ["tools/order-stable"],
  }),
  overStdio("restart-changes", "describes its tools anew in each process", {
    rules: [rule("tools/list", { process: 1 }, result({ tools: [{ ...goodTool, description: "Started at 12:00." }] }))],
    fails: ["tools/restart-stable"],
  }),
  overStdio("change-undeclared", "announces changes without declaring that it does", {
    capabilities: { tools: {} },
    rules: [rule("tools/list", undefined, changed, proceed)],
    fails: ["requests/notifications-declared", "tools/list-changed-honest"],
  }),
  overStdio("change-without-change", "announces a change after each listing", {
    rules: [rule("tools/list", undefined, proceed, changed)],
    fails: ["tools/list-changed-honest"],
  }),
];
