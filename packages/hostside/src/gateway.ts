// For products: a host as one MCP server.
export { createHostGateway, type HostGatewayOptions } from "./gateway/create-host-gateway.ts";
export { approveByClient, type ApproveByClientOptions, type AskClient } from "./gateway/approve-by-client.ts";
export { narrowResources, type NarrowedResources } from "./gateway/narrow-resources.ts";
export { listen, serveStdio, type GatewayServer, type ServedStdio } from "@hostside/gateway/node";
export { createGateway, type GatewayHttpAuth, type GatewayOptions } from "@hostside/gateway";
