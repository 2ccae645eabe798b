// For products: options and types that every adapter shares.
export type { AdapterOptions } from "./adapter-options.ts";
export type { DeclaredTool, Declaration, LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
export type { Certainty, NameRules, ProfileRule, SchemaProfile } from "./schema/schema-profile.ts";
export {
  aiSdk,
  anthropic,
  anthropicStrict,
  geminiJsonSchema,
  geminiParameters,
  langchain,
  mastra,
  openaiAgents,
  openaiChat,
  openaiResponses,
  openaiStrict,
  portable,
} from "./schema/profiles.ts";

// For those who write an adapter of their own.
export { declareTools, type DeclareOptions } from "./declare/declare-tools.ts";
export { answerCall, type AnswerMeans, type ModelCall } from "./answer/answer-call.ts";
export { createAnswerer, type Answerer } from "./answer/create-answerer.ts";
