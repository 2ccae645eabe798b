import type { JsonObject } from "@hostside/core";

/** One request of a client, as it came. */
export interface GatewayRequest {
  readonly method: string;
  /** `_meta` may hold `traceparent`, `tracestate` and `baggage` of the client. */
  readonly params?: JsonObject | undefined;
  readonly requestId?: string | number | undefined;
  readonly protocolVersion?: string | undefined;
  /** `"pipe"` is stdio. */
  readonly transport?: "pipe" | "tcp" | undefined;
}

/**
 * Traces and measures what a gateway does for its clients: what `createServerTelemetry()` of
 * `@hostside/otel` gives is one as it is. Neither member may throw by itself.
 */
export interface GatewayTelemetry {
  /** Handles one request; settles as `work` does. What `work` calls is part of the trace. */
  serve<T>(request: GatewayRequest, work: () => Promise<T>): Promise<T>;
  /**
   * A client has a conversation. Called back, with the reason if that was a failure, when it has
   * none any more.
   */
  sessionStarted(session: { readonly transport?: "pipe" | "tcp" | undefined }): (error?: unknown) => void;
}
