// For products: tools for Anthropic's Messages API.
export { createAnthropicTools } from "./anthropic/create-anthropic-tools.ts";
export type {
  AnthropicAnswer,
  AnthropicMessage,
  AnthropicOptions,
  AnthropicTools,
} from "./anthropic/create-anthropic-tools.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { AnswerOptions } from "./answer/answer-options.ts";
export type { CallToApprove } from "./answer/approvals.ts";
export type { OwnFunctionsOptions } from "./declare/own-functions.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
