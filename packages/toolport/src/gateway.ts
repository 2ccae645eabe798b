// For products: a toolport as one MCP server.
export { createToolportGateway, type ToolportGatewayOptions } from "./gateway/create-toolport-gateway.ts";
export { approveByClient, type ApproveByClientOptions, type AskClient } from "./gateway/approve-by-client.ts";
export { narrowResources, type NarrowedResources } from "./gateway/narrow-resources.ts";
