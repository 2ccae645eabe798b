// Prints the CPU time of one call through a provider, in microseconds:
// `node measure-telemetry.js <name> <calls>`, where the name is one of `contenders.ts`.
import type { Connection, Connector, Interceptor } from "@hostside/core";
import { createTelemetry } from "@hostside/otel";
import { createCallLog } from "@hostside/otel/log";
import { createToolbox, type ToolboxOptions } from "@hostside/discovery";
import { createProvider } from "@hostside/provider";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { Contender } from "./contenders.ts";

const [, , name = "", calls = "0"] = process.argv;
const result = { content: [{ type: "text", text: "hello" }] };
const tool = { name: "echo", inputSchema: { type: "object" } } as const;
const connection: Connection = {
  server: { era: "modern", protocolVersion: "2026-07-28", capabilities: { tools: {} } },
  listTools: async () => ({ tools: [tool], dropped: [], pages: 1 }),
  callTool: async () => result,
  request: async () => ({}),
  notify: async () => {},
  subscribeResource: async () => Object.assign(() => {}, { [Symbol.dispose]: () => {} }),
  close: async () => {},
};
const connector: Connector = { connect: async () => connection };
const passOn: Interceptor = (call, next) => next(call);

function layersOf(contender: Contender): Pick<ToolboxOptions, "interceptors"> {
  switch (contender) {
    case "no layer":
      return {};
    case "an interceptor that does nothing":
      return { interceptors: [passOn] };
    case "telemetry without an SDK":
      return { interceptors: [createTelemetry().interceptor] };
    case "telemetry with an SDK that keeps nothing":
      return { interceptors: [createTelemetry(createSdk()).interceptor] };
    case "a call log":
      return { interceptors: [createCallLog({ write: () => {} })] };
  }
}

function createSdk(): { readonly tracerProvider: BasicTracerProvider; readonly meterProvider: MeterProvider } {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
  const onEnd = { onStart: () => {}, onEnd: () => {}, forceFlush: async () => {}, shutdown: async () => {} };
  return {
    tracerProvider: new BasicTracerProvider({ spanProcessors: [onEnd] }),
    meterProvider: new MeterProvider({ readers: [reader] }),
  };
}

const servers = [{ id: "s", type: "custom", open: () => undefined }] as const;
const provider = createProvider({ connector, servers });
const toolbox = createToolbox({ providers: [provider], ...layersOf(name as Contender) });
await toolbox.init();

async function run(count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) await toolbox.call("mcp_s_echo", { text: "hello", count: call });
}

await run(Number(calls) / 2);
const before = process.cpuUsage();
await run(Number(calls));
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / Number(calls)));
await provider.close();
// The reader of metrics waits for its time.
process.exit(0);
