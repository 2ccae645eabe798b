// For products: the tools of a source as Mastra takes them.
export { createMastraTools, type MastraTools } from "./mastra/create-mastra-tools.ts";
export type { MastraApproval, MastraOptions } from "./mastra/mastra-options.ts";
export type { AnswerFile, AnswerPart, CallAnswer } from "./answer/call-answer.ts";
