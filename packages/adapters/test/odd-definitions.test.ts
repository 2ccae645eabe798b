import { adaptSchema } from "@hostside/adapters";
import type { JsonObject, ToolDefinition } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import { describe, expect, it } from "vitest";
import { createAiSdkTools } from "../src/ai-sdk.ts";
import { createAnthropicTools } from "../src/anthropic.ts";
import { createGoogleTools } from "../src/google.ts";
import { createLangChainTools } from "../src/langchain.ts";
import { createMastraTools } from "../src/mastra.ts";
import { createChatTools, createResponsesTools } from "../src/openai.ts";
import { createAgentsTools } from "../src/openai-agents.ts";
import type { ToolSource } from "../src/declare/tool-source.ts";
import { profiles } from "./all-profiles.ts";
import { definitionOf, outcomeOf } from "./outcomes.ts";

const half = "half \uD83D of it";
const booleans: JsonObject = {
  type: "object",
  properties: {
    raw: true,
    never: false,
    list: { type: "array", items: true },
    either: { anyOf: [{ type: "string" }, true, false] },
    open: { type: "object", additionalProperties: true },
  },
};
const halves: JsonObject = {
  type: "object",
  description: half,
  properties: {
    [half]: { type: "string", description: half, enum: ["a", half], default: half },
    inner: { type: "object", properties: { "\uDC00": { type: "string" } }, required: ["\uDC00"] },
  },
  required: [half],
};

function sourceOf(inputSchema: JsonObject): ToolSource & { readonly calls: unknown[] } {
  const definition: ToolDefinition = { ...definitionOf("t"), description: half, inputSchema };
  const calls: unknown[] = [];
  return {
    calls,
    tools: () => [definition],
    call: async (_name, args) => {
      calls.push(args);
      return outcomeOf({ content: [{ type: "text", text: half }], structuredContent: { [half]: half } });
    },
  };
}

const declare: Readonly<Record<string, (source: ToolSource) => unknown>> = {
  "AI SDK": (source) => createAiSdkTools(source),
  "OpenAI Chat": (source) => createChatTools(source).tools(),
  "OpenAI Responses": (source) => createResponsesTools(source).tools(),
  "OpenAI Agents": (source) => createAgentsTools(source),
  Anthropic: (source) => createAnthropicTools(source).tools(),
  Gemini: (source) => createGoogleTools(source).tools(),
  LangChain: (source) =>
    createLangChainTools(source)
      .tools()
      .map(({ description, schema }) => ({ description, schema })),
  Mastra: (source) =>
    Object.values(createMastraTools(source).tools).map((tool) => {
      const { description, inputSchema } = tool as { description: string; inputSchema: StandardSchemaWithJSON };
      return { description, schema: inputSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" }) };
    }),
};

/** Every schema in what is declared that is a boolean, but for `additionalProperties`. */
function booleansIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(booleansIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const inner = isJsonObject(one) && ["properties", "$defs"].includes(name) ? Object.values(one) : [one];
    const isSchemas = ["properties", "items", "anyOf", "not"].includes(name);
    const found = isSchemas && inner.flat().some((sub) => typeof sub === "boolean") ? [name] : [];
    return [...found, ...inner.flatMap(booleansIn)];
  });
}

describe.each(Object.entries(declare))("%s", (_name, declareWith) => {
  it("is sent no boolean as a schema", async () => {
    const declared = await declareWith(sourceOf(booleans));
    const json: unknown = JSON.parse(JSON.stringify(declared));
    expect(JSON.stringify(json)).toContain('"raw"');
    expect(booleansIn(json)).toEqual([]);
  });

  it("is sent no half of a character", async () => {
    const json = JSON.stringify(await declareWith(sourceOf(halves)));
    expect(json).toContain("half \uFFFD of it");
    expect(json).not.toMatch(/\\ud[89a-f]/i);
  });
});

it("writes true as a schema that takes all, and false as one that takes nothing, where the API has a word for it", () => {
  const [openai] = profiles;
  if (openai === undefined) throw new Error("no profile");
  const adapted = adaptSchema(booleans, openai);
  expect(adapted).toMatchObject({
    ok: true,
    schema: { properties: { raw: {}, never: { not: {} }, open: { additionalProperties: true } } },
  });
});

it("answers without half of a character", async () => {
  const call = { type: "function", id: "c", function: { name: "t", arguments: "{}" } } as const;
  const messages = await createChatTools(sourceOf(booleans)).answer({ tool_calls: [call] });
  expect(JSON.stringify(messages)).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
});
