import { context, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { fixtureServer } from "@hostside/fixtures";
import { createTelemetry } from "@hostside/otel";
import { afterEach, describe, expect, it } from "vitest";
import { openHostParts } from "../src/create-host.ts";
import { createHost } from "../src/index.ts";
import { byName } from "./facade/by-name.ts";
import { createFakeConnector } from "./facade/fake-connector.ts";

afterEach(() => {
  trace.disable();
  context.disable();
});

const servers = [{ id: "s", type: "stdio", ...fixtureServer("modern-only-stdio") }] as const;

function createSdk(): { readonly names: () => readonly string[]; readonly tracerProvider: BasicTracerProvider } {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracerProvider, names: () => exporter.getFinishedSpans().map(({ name }) => name) };
}

describe("the option telemetry", () => {
  it("writes to the SDK that is registered, for calls, connections and other requests", async () => {
    const { tracerProvider, names } = createSdk();
    trace.setGlobalTracerProvider(tracerProvider);
    const { host, provider } = await openHostParts({ servers: byName(servers), telemetry: true });
    await host.call("mcp_s_echo", { text: "x" });
    const connection = await provider.connection("s");
    await connection.request("resources/list").catch(() => undefined);
    expect(names()).toEqual(["server/discover", "tools/list", "tools/call echo", "resources/list"]);
    await host.close();
  });

  it("takes telemetry that was made with options, for the connections of a conversation, too", async () => {
    const { tracerProvider, names } = createSdk();
    const [server] = servers;
    await using host = await createHost({
      servers: byName([{ ...server, sharing: "conversation" as const }]),
      pool: {},
      telemetry: createTelemetry({ tracerProvider }),
    });
    await using conversation = await host.conversation({ id: "c" });
    await conversation.call("mcp_s_echo", { text: "x" });
    expect(names()).toEqual(["server/discover", "tools/list", "tools/call echo"]);
  });

  it("says of a call what it does by the policy, and whose it is", async () => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const seen: unknown[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ s: { tools: ["echo"] } }),
      servers: { s: { command: "x" } },
      policy: { effects: [{ tools: "s/echo", effect: "pure" }] },
      telemetry: createTelemetry({ tracerProvider, toolMetrics: true }),
      toolbox: { interceptors: [(call, next) => (seen.push(call.effect), next(call))] },
    });
    await host.call("mcp_s_echo");
    const [call] = exporter.getFinishedSpans().filter(({ name }) => name.includes("echo"));
    expect(call?.attributes).toMatchObject({
      "hostside.effect": "pure",
      "effect.level": "pure",
      "tool.origin": "mcp::s",
    });
    expect(seen).toEqual(["pure"]);
  });

  it("refuses what is no telemetry", async () => {
    await expect(createHost({ telemetry: {} as never })).rejects.toThrow(TypeError);
  });
});
