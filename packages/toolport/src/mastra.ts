// For products: the tools of a source as Mastra takes them.
export { createMastraTools } from "@toolport/adapters/mastra";
export type {
  AdapterOptions,
  AnswerFile,
  AnswerPart,
  CallAnswer,
  LeftOutTool,
  MastraApproval,
  MastraOptions,
  MastraTools,
  StepToPrepare,
  ToolSource,
} from "@toolport/adapters/mastra";
