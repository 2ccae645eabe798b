import type { MeterProvider } from "@opentelemetry/api";
import { createMetrics, type Metrics } from "./metrics.ts";

const table = {
  "mcp.client.operation.duration": { kind: "seconds", description: "From the sending of an MCP request to its answer" },
  "mcp.client.session.duration": { kind: "seconds", description: "From the opening of an MCP session to its end" },
  // Where the conventions say nothing.
  "hostside.call.duration": {
    kind: "seconds",
    description: "From a call to its outcome, with all that a host does about it",
  },
  "hostside.call.wait": {
    kind: "seconds",
    description: "How long a call waited before it was sent, by what it waited for",
  },
  "hostside.call.resends": {
    kind: "count",
    description: "Times that a call was sent again",
    unit: "{send}",
  },
  "hostside.io": { kind: "count", description: "Messages of calls, as JSON in UTF-8", unit: "By" },
  "hostside.decisions": {
    kind: "count",
    description: "What a policy decided about calls",
    unit: "{decision}",
  },
  "hostside.sessions": { kind: "level", description: "Sessions that are open", unit: "{session}" },
  "hostside.circuit.state": { kind: "gauge", description: "0 closed, 1 half open, 2 open" },
  "hostside.resource.cache.reads": {
    kind: "count",
    description: "Reads of resources with a cache",
    unit: "{read}",
  },
  "hostside.resource.refused_uris": {
    kind: "count",
    description: "URIs that were refused before anything was sent",
    unit: "{uri}",
  },
  // Of the option `toolMetrics`.
  tool_invocations_total: { isExtra: true, kind: "count", description: "Calls of tools" },
  tool_errors_total: { isExtra: true, kind: "count", description: "Calls of tools that failed" },
  tool_retries_total: { isExtra: true, kind: "count", description: "Times that calls of tools were tried again" },
  tool_latency_seconds: { isExtra: true, kind: "seconds", description: "From a call of a tool to its outcome" },
  circuit_state: { isExtra: true, kind: "gauge", description: "0 closed, 1 half open, 2 open" },
} as const;

/** Writes to the instruments of a client. */
export type ClientMetrics = Metrics<keyof typeof table>;

/** Makes the writer of a client's metrics. */
export function createClientMetrics(provider: MeterProvider | undefined, hasExtra: boolean): ClientMetrics {
  return createMetrics(table, provider, hasExtra);
}
