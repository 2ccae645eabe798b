// For products: the tools of a source as Mastra takes them.
export { createMastraTools } from "@hostside/adapters/mastra";
export type { CallAnswer } from "@hostside/adapters/mastra";
