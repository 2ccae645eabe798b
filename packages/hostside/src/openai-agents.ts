// For products: tools for agents of the OpenAI Agents SDK.
export { createAgentsTools } from "@hostside/adapters/openai-agents";
