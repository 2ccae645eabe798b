// For products: traces and metrics. Needs `@opentelemetry/api`.
export { createServerTelemetry, createTelemetry } from "@hostside/otel";
export type { Telemetry } from "@hostside/otel";
