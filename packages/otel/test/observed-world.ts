import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import type { ServerSpec } from "@hostside/core";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import { createPolicy, type Policy, type PolicyOptions } from "@hostside/policy";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { createTelemetry, type Telemetry, type TelemetryOptions } from "../src/index.ts";

/** Registers what an application registers: a context manager and a propagator. */
export function registerApi(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
}

/** Takes it back. */
export function disableApi(): void {
  context.disable();
  propagation.disable();
  trace.disable();
}

/** What the SDK of an application would have exported. */
export interface Exported {
  readonly tracerProvider: BasicTracerProvider;
  readonly sdk: { readonly tracerProvider: BasicTracerProvider; readonly meterProvider: MeterProvider };
  spans(): readonly ReadableSpan[];
  metrics(): Promise<readonly ResourceMetrics[]>;
  /** The data points of one metric: attributes, and a count or a value. */
  readonly points: (name: string) => Promise<readonly { readonly attributes: object; readonly value: number }[]>;
}

/** Makes an SDK that keeps all in memory. */
export function createExported(): Exported {
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 31 - 1 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const metrics = async (): Promise<readonly ResourceMetrics[]> => {
    metricExporter.reset();
    await reader.forceFlush();
    return metricExporter.getMetrics();
  };
  return {
    tracerProvider,
    sdk: { tracerProvider, meterProvider },
    spans: () => spanExporter.getFinishedSpans(),
    metrics,
    points: async (name) => {
      const all = (await metrics()).flatMap(({ scopeMetrics }) => scopeMetrics).flatMap((scope) => scope.metrics);
      return all
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            attributes,
            value: typeof value === "number" ? value : "count" in value ? value.count : Number.NaN,
          })),
        );
    },
  };
}

/** A host that is observed. */
export interface ObservedHost extends AsyncDisposable {
  readonly exported: Exported;
  readonly telemetry: Telemetry;
  readonly provider: McpProvider;
  readonly policy: Policy;
  readonly toolbox: Toolbox;
}

/** What a host of a test is made with. */
export interface ObservedHostInit {
  readonly servers: readonly ServerSpec[];
  readonly telemetry?: TelemetryOptions;
  readonly policy?: PolicyOptions;
  readonly provider?: Partial<ProviderOptions>;
}

/**
 * Composes a host as a product does: telemetry around the policy, around a provider of real
 * servers.
 */
export async function createObservedHost(init: ObservedHostInit): Promise<ObservedHost> {
  const exported = createExported();
  const telemetry = createTelemetry({ ...exported.sdk, ...init.telemetry });
  const policy = createPolicy({ defaultDecision: "allow", ...init.policy });
  const provider = createProvider({
    connector: createConnector(),
    servers: init.servers,
    requestInterceptors: [telemetry.requestInterceptor],
    ...init.provider,
  });
  telemetry.watch({ provider, policy });
  const toolbox = createToolbox({
    providers: [provider],
    interceptors: [telemetry.interceptor, ...policy.interceptors],
  });
  await toolbox.init();
  return {
    exported,
    telemetry,
    provider,
    policy,
    toolbox,
    async [Symbol.asyncDispose]() {
      await provider.close();
      policy.close();
    },
  };
}

/** A span without what differs from run to run. */
export function briefSpan({ name, kind, status, attributes, events }: ReadableSpan): object {
  const known = Object.entries(attributes).map(([key, value]) => [key, varying.has(key) ? typeof value : value]);
  return {
    name,
    kind,
    ...(status.code !== SpanStatusCode.UNSET && { status: status.message }),
    attributes: Object.fromEntries(known) as object,
    ...(events.length > 0 && { events: events.map((event) => event.name) }),
  };
}

const varying: ReadonlySet<string> = new Set([
  "server.port",
  "jsonrpc.request.id",
  "hostside.wait",
  "hostside.wait.connect",
  "hostside.wait.list",
  "hostside.wait.turn",
  "hostside.sent_bytes",
  "hostside.received_bytes",
]);
