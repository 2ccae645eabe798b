// For products: how to reach servers.
export { closeOnSignals } from "./close-on-signals.ts";
export { connect, type ConnectOptions } from "./connector.ts";
export { createAuthorizationFetch } from "./opening/open-transport.ts";
export { createConnector } from "./connector.ts";
export type { ConnectorEffects, ConnectorOptions, SpawnEffect, SpawnOwn } from "./opening/connector-options.ts";
// Whoever writes an authorization provider needs both.
export type { AuthorizationRequest, ServerCredentials } from "@hostside/core";
export type { AuthorizationFetchOptions, HttpOptions } from "./http/http-options.ts";
export type { HeaderRequest, HeadersFor } from "./http/exchange/request-headers.ts";

// For those who plug parts of their own in.
export type { CustomTransport } from "./sdk/open-custom.ts";
export { safeEnvironment } from "./stdio/safe-environment.ts";
