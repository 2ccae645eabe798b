// For products: tools for agents of the OpenAI Agents SDK.
export type { AgentsOptions } from "./openai-agents/agents-options.ts";
export { createAgentsTools, type AgentsTools } from "./openai-agents/create-agents-tools.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
