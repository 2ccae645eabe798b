// For products: tools for Gemini through Google's SDK.
export { createGoogleTools } from "./google/create-google-tools.ts";
export type { GoogleAnswer, GoogleOptions, GoogleResponse, GoogleTools } from "./google/create-google-tools.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { AnswerOptions } from "./answer/answer-options.ts";
export type { DeclaredTool, LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
