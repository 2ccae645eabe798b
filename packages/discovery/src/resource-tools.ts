// Tools by which a model lists and reads resources.
export { createResourceTools } from "./resource-tools/create-resource-tools.ts";
export type { ResourceSource } from "./resource-tools/resource-source.ts";
export type { ResourceToolsOptions } from "./resource-tools/resource-tool.ts";
