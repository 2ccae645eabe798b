// For products: options and types that every adapter shares.
export type { AdapterOptions } from "./adapter-options.ts";
export type { DeclaredTool, Declaration, LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
export type {
  Certainty,
  NameRules,
  ProfileRule,
  PropertyNameRules,
  RefusedKeywords,
  SchemaProfile,
  SchemaRules,
  StrictTotals,
} from "./schema/schema-profile.ts";
export { openaiAgents, openaiChat, openaiResponses, openaiStrict } from "./schema/profiles/openai.ts";
export { anthropic, anthropicStrict } from "./schema/profiles/anthropic.ts";
export { geminiJsonSchema, geminiParameters } from "./schema/profiles/gemini.ts";
export { aiSdk, langchain, mastra, portable } from "./schema/profiles/frameworks.ts";
export { adaptSchema, type AdaptedSchema, type UnfitSchema } from "./schema/adapt-schema.ts";

// For those who write an adapter of their own.
export { declareTools, type AdapterDeclareOptions } from "./declare/declare-tools.ts";
export { answerCall } from "./answer/answer-call.ts";
export { createAnswerer } from "./answer/create-answerer.ts";
