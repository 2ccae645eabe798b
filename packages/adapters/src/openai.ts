// For products: tools for OpenAI's Responses API and Chat Completions, and the answers to their calls.
export type { AnswerOptions, OpenaiOptions } from "./openai/openai-options.ts";
export { createChatTools, type CallingMessage, type ChatTools } from "./openai/create-chat-tools.ts";
export { createResponsesTools, type ResponsesTools } from "./openai/create-responses-tools.ts";
