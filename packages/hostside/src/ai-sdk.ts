// For products: the tools of a source as the AI SDK takes them.
export { createAiSdkTools } from "@hostside/adapters/ai-sdk";
export type { AiSdkTools, CallAnswer } from "@hostside/adapters/ai-sdk";
