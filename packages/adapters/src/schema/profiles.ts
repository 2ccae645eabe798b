import type { NameRules, ProfileRule, SchemaProfile } from "./schema-profile.ts";

const openaiNames: ProfileRule<NameRules> = {
  value: { maxLength: 64, characters: "dashes", startsWithLetter: false },
  certainty: "sdk",
  source: "openai 7.57.0, FunctionDefinition.name",
};

/** OpenAI, Chat Completions, without strict mode. */
export const openaiChat: SchemaProfile = { id: "openai-chat", names: openaiNames };

/** OpenAI, Responses, without strict mode. */
export const openaiResponses: SchemaProfile = { id: "openai-responses", names: openaiNames };

/** OpenAI, either API, in strict mode. */
export const openaiStrict: SchemaProfile = { id: "openai-strict", names: openaiNames };

const anthropicNames: ProfileRule<NameRules> = {
  value: { maxLength: 128, characters: "dashes", startsWithLetter: false },
  certainty: "reported",
  source: "open-multi-agent/open-multi-agent#89",
};

/** Anthropic, Messages, without strict mode. */
export const anthropic: SchemaProfile = { id: "anthropic", names: anthropicNames };

/** Anthropic, Messages, in strict mode. */
export const anthropicStrict: SchemaProfile = { id: "anthropic-strict", names: anthropicNames };

const geminiNames: ProfileRule<NameRules> = {
  value: { maxLength: 64, characters: "dashes", startsWithLetter: true },
  certainty: "reported",
  source: "wonderwhy-er/DesktopCommanderMCP#79",
};

/** Gemini, `parameters`: the older dialect, which is a subset of OpenAPI 3.0. */
export const geminiParameters: SchemaProfile = { id: "gemini-parameters", names: geminiNames };

/** Gemini, `parametersJsonSchema`. */
export const geminiJsonSchema: SchemaProfile = { id: "gemini-json-schema", names: geminiNames };

const portableNames: ProfileRule<NameRules> = {
  value: { maxLength: 64, characters: "dashes", startsWithLetter: true },
  certainty: "assumed",
  source: "what all of the APIs here take",
};

/** What every API here takes; for where it is not known which one it will be. */
export const portable: SchemaProfile = { id: "portable", names: portableNames };

/** The AI SDK, in front of any model API. */
export const aiSdk: SchemaProfile = { ...portable, id: "ai-sdk" };

/** LangChain, in front of any model API. */
export const langchain: SchemaProfile = { ...portable, id: "langchain" };

/** The OpenAI Agents SDK, which writes `_` for every other character of a name. */
export const openaiAgents: SchemaProfile = {
  id: "openai-agents",
  names: {
    value: { maxLength: 64, characters: "identifier", startsWithLetter: false },
    certainty: "sdk",
    source: "@openai/agents 0.20.0, toFunctionToolName",
  },
};

/** Mastra, in front of any model API. */
export const mastra: SchemaProfile = { ...portable, id: "mastra" };
