// For products: the tools of a source as the AI SDK takes them.
export { createAiSdkTools } from "@hostside/adapters/ai-sdk";
export type {
  AdapterOptions,
  AiSdkOptions,
  AiSdkTools,
  AnswerFile,
  AnswerPart,
  AiSdkApprovalQuestion,
  CallAnswer,
  LeftOutTool,
  PreparedStep,
  AiSdkProgress,
  AiSdkStep,
  ToolSource,
} from "@hostside/adapters/ai-sdk";
