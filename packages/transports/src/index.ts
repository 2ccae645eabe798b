// For products: how to reach servers.
export {
  closeOnSignals,
  type CloseOnSignalsOptions,
  type EndingSignal,
  type SignalSource,
} from "./close-on-signals.ts";
export { connect, type ConnectOptions } from "./connect.ts";
export { createAuthorizationFetch, type AuthorizationFetchOptions } from "./opening/create-authorization-fetch.ts";
export { createConnector } from "./connector.ts";
export type { ConnectorEffects, ConnectorOptions, SpawnEffect, SpawnOwn } from "./opening/connector-options.ts";
// Whoever writes an authorization provider needs both.
export type { AuthorizationRequest, ServerCredentials } from "@hostside/core";
export type { HttpOptions } from "./http/http-options.ts";
export type { HeaderRequest, HeadersFor } from "./http/exchange/host-headers.ts";
export type { AuthorizationProvider, TokenSource, UnauthorizedRefusal } from "./http/auth/authorization-provider.ts";

// For those who plug parts of their own in.
export type { CustomClient, CustomTransport } from "./sdk/open-custom.ts";
export { safeEnvironment } from "./stdio/safe-environment.ts";
