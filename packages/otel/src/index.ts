// Traces and metrics of what a host does with its servers.
export { createTelemetry, type Telemetry } from "./create-telemetry.ts";
export type { TelemetryOptions } from "./telemetry-options.ts";

// For those who serve clients, such as a gateway.
export { createServerTelemetry, type ServerTelemetry } from "./serving/create-server-telemetry.ts";
