// For products: options and types that every adapter shares.
export type { ApiAdapterOptions } from "./answer/api-calls.ts";
export type { Declaration } from "./declare/declare-tools.ts";
export type { AdapterOptions, ToolSource } from "./declare/tool-source.ts";

// For products that write an adapter of their own.
export { createAnswerer } from "./answer/answerer.ts";
export { adaptSchema, type AdaptedSchema } from "./schema/adapt-schema.ts";
export { aiSdk, anthropic, gemini, openai, openaiAgents, portable } from "./schema/profiles.ts";
export type { SchemaProfile } from "./schema/schema-profile.ts";
