// For products: a gateway, and what it is made from.
export { createGateway, type Gateway } from "./serving/gateway.ts";
export type { Exposure, GatewayOptions } from "./settings/gateway-options.ts";
export { gatewayLimits, type GatewayLimits } from "./settings/gateway-limits.ts";
export type { GatewayClient, GatewayConversation, GatewayEvent, GatewayTools } from "./settings/gateway-client.ts";
export type { HttpHandler } from "./http/http-handler.ts";
export type { GatewayHttpAuth, GatewayHttpOptions } from "./http/http-options.ts";

// For those who put it behind another HTTP server, another connection, or other resources.
export type { GatewayResources } from "./settings/gateway-client.ts";
