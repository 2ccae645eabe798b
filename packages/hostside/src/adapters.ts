// For products with an adapter of their own: schemas for model APIs, and the answers to calls.
export { adaptSchema, answerCall, createAnswerer, declareTools } from "@hostside/adapters";
export { aiSdk, anthropic, anthropicStrict, geminiJsonSchema, geminiParameters } from "@hostside/adapters";
export {
  langchain,
  mastra,
  openaiAgents,
  openaiChat,
  openaiResponses,
  openaiStrict,
  portable,
} from "@hostside/adapters";
export type { AdaptedSchema, AdapterOptions, SchemaProfile, ToolSource } from "@hostside/adapters";
