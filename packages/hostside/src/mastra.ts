// For products: the tools of a source as Mastra takes them.
export { createMastraTools } from "@hostside/adapters/mastra";
export type {
  AdapterOptions,
  AnswerFile,
  AnswerPart,
  CallAnswer,
  LeftOutTool,
  MastraOptions,
  MastraTools,
  MastraStep,
  ToolSource,
} from "@hostside/adapters/mastra";
