// For products: tools for LangChain and LangGraph.
export { createLangChainTools } from "@toolport/adapters/langchain";
export type {
  AdapterOptions,
  AnswerOptions,
  LangChainArtifact,
  LangChainMessage,
  LangChainOptions,
  LangChainTools,
  LeftOutTool,
  OwnFunctionsOptions,
  ToolSource,
} from "@toolport/adapters/langchain";
