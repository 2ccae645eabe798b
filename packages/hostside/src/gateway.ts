// For products: a host as one MCP server.
export { createHostGateway } from "./gateway/create-host-gateway.ts";
export { approveByClient, type AskClient } from "./gateway/approve-by-client.ts";
export { narrowResources } from "./gateway/narrow-resources.ts";
export { listen, serveStdio, type GatewayServer } from "@hostside/gateway/node";
export { createGateway, type GatewayOptions } from "@hostside/gateway";
