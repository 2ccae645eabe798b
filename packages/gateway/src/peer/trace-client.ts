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

/** What the conventions of OpenTelemetry call the transport of a client. */
function carrierOf({ transport }: GatewayClient): "pipe" | "tcp" {
  return transport === "stdio" ? "pipe" : "tcp";
}

/** Measures how long clients are there. */
export interface ClientTimes {
  begin(client: GatewayClient): void;
  end(client: GatewayClient): void;
}

/** Makes it; without telemetry it does nothing. */
export function createClientTimes(telemetry: GatewayTelemetry | undefined): ClientTimes {
  const ends = new Map<GatewayClient, () => void>();
  return {
    begin(client) {
      if (telemetry !== undefined) ends.set(client, telemetry.sessionStarted({ transport: carrierOf(client) }));
    },
    end(client) {
      ends.get(client)?.();
      ends.delete(client);
    },
  };
}
