// Tools by which a model lists and reads resources.
export { createResourceTools, resourceTools } from "./resource-tools/create-resource-tools.ts";
export type { ResourceSource } from "./resource-tools/resource-source.ts";
export type { ResourceTool, ResourceToolsOptions } from "./resource-tools/resource-tool.ts";
