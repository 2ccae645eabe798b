// For products: traces and metrics. Needs `@opentelemetry/api`.
export { createServerTelemetry, createTelemetry } from "@hostside/otel";
export type { ServerTelemetry, Telemetry, TelemetryOptions } from "@hostside/otel";
