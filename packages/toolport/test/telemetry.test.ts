import { context, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { fixtureServer } from "@toolport/fixtures";
import { createTelemetry } from "@toolport/otel";
import { afterEach, describe, expect, it } from "vitest";
import { createToolport } from "../src/index.ts";

afterEach(() => {
  trace.disable();
  context.disable();
});

const servers = [{ id: "s", transport: { kind: "stdio", ...fixtureServer("modern-only-stdio") } }] as const;

function createSdk(): { readonly names: () => readonly string[]; readonly tracerProvider: BasicTracerProvider } {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracerProvider, names: () => exporter.getFinishedSpans().map(({ name }) => name) };
}

describe("the option telemetry", () => {
  it("writes to the SDK that is registered, for calls, connections and other requests", async () => {
    const { tracerProvider, names } = createSdk();
    trace.setGlobalTracerProvider(tracerProvider);
    await using toolport = await createToolport({ servers, telemetry: true });
    await toolport.call("mcp_s_echo", { text: "x" });
    const connection = await toolport.provider.connection("s");
    await connection.request("resources/list").catch(() => undefined);
    expect(names()).toEqual(["server/discover", "tools/list", "tools/call echo", "resources/list"]);
  });

  it("takes telemetry that was made with options, for the connections of a conversation, too", async () => {
    const { tracerProvider, names } = createSdk();
    const [server] = servers;
    await using toolport = await createToolport({
      servers: [{ ...server, sharing: "conversation" }],
      pool: {},
      telemetry: createTelemetry({ tracerProvider }),
    });
    await using conversation = await toolport.openConversation({ id: "c" });
    await conversation.call("mcp_s_echo", { text: "x" });
    expect(names()).toEqual(["server/discover", "tools/list", "tools/call echo"]);
  });

  it("refuses what is no telemetry", async () => {
    await expect(createToolport({ telemetry: {} as never })).rejects.toThrow(TypeError);
  });
});
