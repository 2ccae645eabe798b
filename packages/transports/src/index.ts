// For products: how to reach servers.
export { connect, type ConnectOptions } from "./connect.ts";
export { createConnector, type ConnectorOptions } from "./connector.ts";
export { createEraCache, type EraCache, type EraVerdict } from "./negotiation/era-cache.ts";
