// For products: tools for LangChain and LangGraph.
export { createLangChainTools } from "@hostside/adapters/langchain";
