// For products: tools for LangChain and LangGraph.
export { createLangChainTools } from "@hostside/adapters/langchain";
export type {
  AdapterOptions,
  AnswerOptions,
  CallToApprove,
  LangChainArtifact,
  LangChainMessage,
  LangChainOptions,
  LangChainTools,
  LeftOutTool,
  OwnFunctionsOptions,
  ToolSource,
} from "@hostside/adapters/langchain";
