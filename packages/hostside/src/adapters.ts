// For products with an adapter of their own: schemas for model APIs, and the answers to calls.
export {
  adaptSchema,
  aiSdk,
  anthropic,
  createAnswerer,
  gemini,
  openai,
  openaiAgents,
  portable,
} from "@hostside/adapters";
export type { SchemaProfile, ToolSource } from "@hostside/adapters";
