// For products: tools for LangChain and LangGraph.
export { createLangChainTools } from "./langchain/create-langchain-tools.ts";
export type { LangChainArtifact } from "./langchain/tool-output.ts";
export type { LangChainMessage, LangChainOptions, LangChainTools } from "./langchain/create-langchain-tools.ts";
export type { AdapterOptions } from "./adapter-options.ts";
export type { AnswerOptions } from "./answer/answer-options.ts";
export type { CallToApprove } from "./answer/approvals.ts";
export type { OwnFunctionsOptions } from "./declare/own-functions.ts";
export type { LeftOutTool } from "./declared-tool.ts";
export type { ToolSource } from "./tool-source.ts";
