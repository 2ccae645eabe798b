// For products: a gateway, and what it is made from.
export { createGateway, type Gateway, type GatewayStats } from "./serving/gateway.ts";
export type { Exposure, GatewayOptions } from "./settings/gateway-options.ts";
export type { GatewayTelemetry, GatewayRequest } from "./settings/gateway-client.ts";
export { gatewayLimits, type GatewayLimits } from "./settings/gateway-limits.ts";
export type { GatewayClient, GatewayConversation, GatewayEvent, GatewayTools } from "./settings/gateway-client.ts";
export type { HttpHandler } from "./http/http-handler.ts";
export type {
  GatewayHttpAuth,
  GatewayHttpOptions,
  ProtectedResource,
  RefusedToken,
  VerifiedToken,
} from "./http/http-options.ts";

// For those who put it behind another HTTP server, another connection, or other resources.
export type { GatewayHttpExchange, HttpHeaders, HttpStream } from "./http/http-exchange.ts";
export type { MessageConnection, SendText } from "./stdio/message-connection.ts";
export type {
  GatewayEntry,
  GatewayPrompt,
  GatewayListOptions,
  GatewayReadOptions,
  GatewayResource,
  GatewayResources,
  GatewaySnapshot,
  GatewayTemplate,
} from "./settings/gateway-client.ts";
