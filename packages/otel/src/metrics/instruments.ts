import {
  type Counter,
  type Gauge,
  type Histogram,
  type Meter,
  type MeterProvider,
  type UpDownCounter,
} from "@opentelemetry/api";
import { durationBuckets } from "../names.ts";
import { findInstruments } from "./find-instruments.ts";
import type { MetricNames } from "../telemetry-options.ts";

/** The instruments that are written to; those of names that nobody asked for are absent. */
export interface Instruments {
  readonly operationDuration: Histogram;
  readonly sessionDuration: Histogram;
  readonly hostside: HostsideInstruments | undefined;
  readonly af: AfInstruments | undefined;
  readonly nexo: NexoInstruments | undefined;
}

/** Where the conventions say nothing. */
export interface HostsideInstruments {
  readonly callDuration: Histogram;
  readonly wait: Histogram;
  readonly resends: Counter;
  readonly bytes: Counter;
  readonly decisions: Counter;
  readonly sessions: UpDownCounter;
  readonly circuit: Gauge;
  readonly cacheReads: Counter;
  readonly refusedUris: Counter;
}

/** The names that `names: "af"` asks for. */
export interface AfInstruments {
  readonly invocations: Counter;
  readonly errors: Counter;
  readonly retries: Counter;
  readonly latency: Histogram;
  readonly circuit: Gauge;
}

/** The names that `names: "nexo"` asks for. */
export interface NexoInstruments {
  readonly active: UpDownCounter;
  readonly created: Counter;
  readonly disposed: Counter;
  readonly lifetime: Histogram;
  readonly cacheHits: Counter;
  readonly cacheMisses: Counter;
  readonly allowlistViolations: Counter;
}

/** Finds the instruments of a client: see {@linkcode findInstruments}. */
export function createInstruments(
  provider: MeterProvider | undefined,
  names: ReadonlySet<MetricNames>,
): () => Instruments | undefined {
  return findInstruments(provider, (meter) => makeInstruments(meter, names));
}

const inSeconds = { unit: "s", advice: { explicitBucketBoundaries: [...durationBuckets] } };

function makeInstruments(meter: Meter, names: ReadonlySet<MetricNames>): Instruments {
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { ...inSeconds, description });
  const counter = (name: string, description: string, unit = ""): Counter =>
    meter.createCounter(name, { description, unit });
  return {
    operationDuration: seconds("mcp.client.operation.duration", "From the sending of an MCP request to its answer"),
    sessionDuration: seconds("mcp.client.session.duration", "From the opening of an MCP session to its end"),
    hostside: names.has("hostside") ? hostsideInstruments({ meter, seconds, counter }) : undefined,
    af: names.has("af")
      ? {
          invocations: counter("tool_invocations_total", "Calls of tools"),
          errors: counter("tool_errors_total", "Calls of tools that failed"),
          retries: counter("tool_retries_total", "Times that calls of tools were tried again"),
          latency: seconds("tool_latency_seconds", "From a call of a tool to its outcome"),
          circuit: meter.createGauge("circuit_state", { description: "0 closed, 1 half open, 2 open" }),
        }
      : undefined,
    nexo: names.has("nexo")
      ? {
          active: meter.createUpDownCounter("mcp_sessions_active", { description: "Sessions that there are" }),
          created: counter("mcp_sessions_created_total", "Sessions that were made"),
          disposed: counter("mcp_sessions_disposed_total", "Sessions that ended"),
          lifetime: seconds("mcp_session_lifetime_seconds", "How long sessions lived"),
          cacheHits: counter("mcp_resource_cache_hits_total", "Reads of resources that were answered from the cache"),
          cacheMisses: counter("mcp_resource_cache_misses_total", "Reads of resources that were not in the cache"),
          allowlistViolations: counter("mcp_resource_uri_allowlist_violations_total", "URIs that were refused"),
        }
      : undefined,
  };
}

interface Makers {
  readonly meter: Meter;
  readonly seconds: (name: string, description: string) => Histogram;
  readonly counter: (name: string, description: string, unit?: string) => Counter;
}

function hostsideInstruments({ meter, seconds, counter }: Makers): HostsideInstruments {
  return {
    callDuration: seconds("hostside.call.duration", "From a call to its outcome, with all that a host does about it"),
    wait: seconds("hostside.call.wait", "How long a call waited before it was sent, by what it waited for"),
    resends: counter("hostside.call.resends", "Times that a call was sent again", "{send}"),
    bytes: counter("hostside.io", "Messages of calls, as JSON in UTF-8", "By"),
    decisions: counter("hostside.decisions", "What a policy decided about calls", "{decision}"),
    sessions: meter.createUpDownCounter("hostside.sessions", {
      description: "Sessions that are open",
      unit: "{session}",
    }),
    circuit: meter.createGauge("hostside.circuit.state", { description: "0 closed, 1 half open, 2 open" }),
    cacheReads: counter("hostside.resource.cache.reads", "Reads of resources with a cache", "{read}"),
    refusedUris: counter("hostside.resource.refused_uris", "URIs that were refused before anything was sent", "{uri}"),
  };
}
