// For products: the tools of a source as Mastra takes them.
export { createMastraTools, type MastraTools, type MastraStep } from "./mastra/create-mastra-tools.ts";
export type { MastraOptions } from "./mastra/mastra-options.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
export type { AnswerFile, AnswerPart, CallAnswer } from "./answer/call-answer.ts";
