// For products: traces and metrics.
export { createServerTelemetry, createTelemetry } from "@hostside/otel";
export type { Telemetry } from "@hostside/otel";
