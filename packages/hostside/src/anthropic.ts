// For products: tools for Anthropic's Messages API.
export { createAnthropicTools } from "@hostside/adapters/anthropic";
export type {
  AdapterOptions,
  AnswerOptions,
  AnthropicAnswer,
  AnthropicMessage,
  AnthropicOptions,
  AnthropicTools,
  CallToApprove,
  LeftOutTool,
  OwnFunctionsOptions,
  ToolSource,
} from "@hostside/adapters/anthropic";
