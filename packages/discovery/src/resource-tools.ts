// Tools by which a model lists and reads resources.
export { createResourceTools, resourceTools } from "./resource-tools/create-resource-tools.ts";
export type { ResourceSource } from "./resource-tools/resource-source.ts";
export type { ResourceTool, ResourceToolResult } from "./resource-tools/resource-tool.ts";
export type {
  BlobToSave,
  ResourceToolsOptions,
  ResourceToolsShape,
  SaveResourceBlob,
} from "./resource-tools/tool-options.ts";
