// For products: tools for OpenAI's Responses API and Chat Completions, and the answers to their
// calls.
export { createChatTools, createResponsesTools } from "@hostside/adapters/openai";
export type { ResponsesTools } from "@hostside/adapters/openai";
