import type { MeterProvider } from "@opentelemetry/api";
import { createMetrics, type Metrics } from "./metrics.ts";

const table = {
  "mcp.client.operation.duration": { kind: "seconds", description: "From the sending of an MCP request to its answer" },
  "mcp.client.session.duration": { kind: "seconds", description: "From the opening of an MCP session to its end" },
  // Where the conventions say nothing.
  "hostside.call.duration": {
    of: "hostside",
    kind: "seconds",
    description: "From a call to its outcome, with all that a host does about it",
  },
  "hostside.call.wait": {
    of: "hostside",
    kind: "seconds",
    description: "How long a call waited before it was sent, by what it waited for",
  },
  "hostside.call.resends": {
    of: "hostside",
    kind: "count",
    description: "Times that a call was sent again",
    unit: "{send}",
  },
  "hostside.io": { of: "hostside", kind: "count", description: "Messages of calls, as JSON in UTF-8", unit: "By" },
  "hostside.decisions": {
    of: "hostside",
    kind: "count",
    description: "What a policy decided about calls",
    unit: "{decision}",
  },
  "hostside.sessions": { of: "hostside", kind: "level", description: "Sessions that are open", unit: "{session}" },
  "hostside.circuit.state": { of: "hostside", kind: "gauge", description: "0 closed, 1 half open, 2 open" },
  "hostside.resource.cache.reads": {
    of: "hostside",
    kind: "count",
    description: "Reads of resources with a cache",
    unit: "{read}",
  },
  "hostside.resource.refused_uris": {
    of: "hostside",
    kind: "count",
    description: "URIs that were refused before anything was sent",
    unit: "{uri}",
  },
  // `names: "af"`.
  tool_invocations_total: { of: "af", kind: "count", description: "Calls of tools" },
  tool_errors_total: { of: "af", kind: "count", description: "Calls of tools that failed" },
  tool_retries_total: { of: "af", kind: "count", description: "Times that calls of tools were tried again" },
  tool_latency_seconds: { of: "af", kind: "seconds", description: "From a call of a tool to its outcome" },
  circuit_state: { of: "af", kind: "gauge", description: "0 closed, 1 half open, 2 open" },
  // `names: "nexo"`.
  mcp_sessions_active: { of: "nexo", kind: "level", description: "Sessions that there are" },
  mcp_sessions_created_total: { of: "nexo", kind: "count", description: "Sessions that were made" },
  mcp_sessions_disposed_total: { of: "nexo", kind: "count", description: "Sessions that ended" },
  mcp_session_lifetime_seconds: { of: "nexo", kind: "seconds", description: "How long sessions lived" },
  mcp_resource_cache_hits_total: {
    of: "nexo",
    kind: "count",
    description: "Reads of resources that were answered from the cache",
  },
  mcp_resource_cache_misses_total: {
    of: "nexo",
    kind: "count",
    description: "Reads of resources that were not in the cache",
  },
  mcp_resource_uri_allowlist_violations_total: { of: "nexo", kind: "count", description: "URIs that were refused" },
} as const;

/** Writes to the instruments of a client. */
export type ClientMetrics = Metrics<keyof typeof table>;

/** Makes the writer of a client's metrics. */
export function createClientMetrics(provider: MeterProvider | undefined, names: ReadonlySet<string>): ClientMetrics {
  return createMetrics(table, { provider, names });
}
