import type { JsonObject } from "@hostside/fixtures";
import { goodTool, overHttp, tool, withTool, type Mutant } from "./mutant.ts";

function schema(inputSchema: JsonObject): JsonObject {
  return tool("odd", { inputSchema });
}

function nested(depth: number): JsonObject {
  return depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };
}

/** Servers that keep to the specification, and that hosts and model APIs stumble over. */
export const portabilityMutants: readonly Mutant[] = [
  withTool("name-long", "has a name of 60 characters", {
    tool: tool("n".repeat(60)),
    fails: ["portability/name-length"],
  }),
  withTool("name-with-dot", "has a dot in a name", {
    tool: tool("files.read"),
    fails: ["portability/name-characters"],
  }),
  overHttp("names-collide", "has names that differ only in case and punctuation", {
    tools: [goodTool, tool("get-item"), tool("Get_Item")],
    fails: ["portability/name-collisions"],
  }),
  withTool("alternatives-on-top", "has anyOf at the top of an input schema", {
    tool: schema({ type: "object", properties: {}, anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    fails: ["portability/schema-top-level"],
  }),
  withTool("no-properties", "has an input schema without properties", {
    tool: schema({ type: "object" }),
    fails: ["portability/schema-properties"],
  }),
  withTool("untyped-property", "has a parameter without a type", {
    tool: schema({ type: "object", properties: { a: { description: "Anything." } } }),
    fails: ["portability/schema-properties"],
  }),
  withTool("deep-schema", "has 14 schemas inside one another", {
    tool: schema(nested(14)),
    fails: ["portability/schema-size"],
  }),
  withTool("large-schema", "has a schema of 20 KB", {
    tool: schema({ type: "object", properties: { a: { type: "string", enum: ["x".repeat(20_000)] } } }),
    fails: ["portability/schema-size"],
  }),
  withTool("exponential-pattern", "has a pattern that takes exponential time", {
    tool: schema({ type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } }),
    fails: ["portability/schema-patterns"],
  }),
  withTool("no-description", "does not describe a tool", {
    tool: { name: "secretive", inputSchema: { type: "object", properties: {} } },
    fails: ["portability/description"],
  }),
  withTool("long-description", "describes a tool in 2,000 characters", {
    tool: tool("wordy", { description: "word ".repeat(400) }),
    fails: ["portability/description"],
  }),
  withTool("hidden-text", "hides text in a description with tag characters", {
    tool: tool("sly", { description: "Adds.\u{E0049}\u{E0067}\u{E006E}" }),
    fails: ["portability/plain-text"],
  }),
  withTool("escape-sequences", "colours a title with escape sequences", {
    tool: tool("colourful", { title: "\u001B[31mred\u001B[0m" }),
    fails: ["portability/plain-text"],
  }),
  overHttp("costly", "costs more than 10,000 tokens", {
    tools: [goodTool],
    manyTools: { count: 60, tool: tool("t{{i}}", { description: "word ".repeat(180) }) },
    fails: ["portability/token-cost"],
  }),
  overHttp("long-instructions", "gives instructions of 5,000 characters", {
    instructions: "word ".repeat(1000),
    fails: ["portability/instructions"],
  }),
  overHttp("hidden-instructions", "hides characters in its instructions", {
    instructions: "Use the tools.\u202Egnihton yas",
    fails: ["portability/instructions"],
  }),
];
