// For products: the tools of a source as the AI SDK takes them.
export {
  createAiSdkTools,
  type AiSdkTools,
  type AiSdkApprovalQuestion,
  type PreparedStep,
  type AiSdkStep,
} from "./ai-sdk/create-ai-sdk-tools.ts";
export type { AiSdkOptions } from "./ai-sdk/ai-sdk-options.ts";
export type { AiSdkProgress } from "./ai-sdk/follow-progress.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
export type { AnswerFile, AnswerPart, CallAnswer } from "./answer/call-answer.ts";
