// Traces and metrics of what a host does with its servers.
export { createTelemetry, type Telemetry, type WatchedParts } from "./create-telemetry.ts";
export type { MetricNames, TelemetryOptions } from "./telemetry-options.ts";
export type { ValueBounds } from "./metrics/bounded-values.ts";
export type { WatchedPolicy, WatchedPool, WatchedProvider, WatchedResources } from "./watched.ts";

// For those who serve clients, such as a gateway.
export {
  createServerTelemetry,
  type ServedRequest,
  type ServedSession,
  type ServerTelemetry,
  type ServerTelemetryOptions,
} from "./serving/create-server-telemetry.ts";
