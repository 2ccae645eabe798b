// For products: tools for Anthropic's Messages API.
export { createAnthropicTools } from "@hostside/adapters/anthropic";
export type { AnthropicTools } from "@hostside/adapters/anthropic";
