// For products: tools for OpenAI's Responses API and Chat Completions, and the answers to their
// calls.
export {
  createChatTools,
  type CallingChoice,
  type CallingMessage,
  type ChatTools,
} from "./openai/create-chat-tools.ts";
export { createResponsesTools, type ResponsesTools } from "./openai/create-responses-tools.ts";
export type { OpenaiOptions } from "./openai/openai-options.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { AnswerOptions } from "./answer/answer-options.ts";
export type { CallToApprove } from "./answer/approvals.ts";
export type { OwnFunctionsOptions } from "./declare/own-functions.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
