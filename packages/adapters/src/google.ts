// For products: tools for Gemini through Google's SDK.
export { createGoogleTools } from "./google/create-google-tools.ts";
export type { GoogleAnswer, GoogleOptions, GoogleResponse, GoogleTools } from "./google/create-google-tools.ts";
export type { MediaPlace } from "./google/function-response.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { AnswerOptions } from "./answer/answer-options.ts";
export type { CallToApprove } from "./answer/approvals.ts";
export type { OwnFunctionsOptions } from "./declare/own-functions.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
