import type { ActiveRequest } from "../message/active-request.ts";
import { metaKeys, metaOf } from "../message/meta.ts";
import type { GatewayClient, GatewayTelemetry } from "../settings/gateway-client.ts";

/** Whose request it is, and who traces it. */
export interface Traced {
  readonly telemetry: GatewayTelemetry;
  readonly client: GatewayClient;
  readonly request: ActiveRequest;
}

/** Handles a request within the trace of its client. */
export function traceRequest<T>({ telemetry, client, request }: Traced, work: () => Promise<T>): Promise<T> {
  const { id, method, params } = request;
  const version = metaOf(params)?.[metaKeys.protocolVersion];
  const protocolVersion = typeof version === "string" ? version : undefined;
  return telemetry.serve({ method, params, requestId: id, protocolVersion, transport: carrierOf(client) }, work);
}

/** The transport of a client in the words of OpenTelemetry. */
export function carrierOf({ transport }: GatewayClient): "pipe" | "tcp" {
  return transport === "stdio" ? "pipe" : "tcp";
}
