import { context, propagation, trace } from "@opentelemetry/api";
import type { ServerSpec } from "@hostside/core";
import { startFaultServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTelemetry, type TelemetryOptions } from "../src/index.ts";
import { createMemoryServer } from "./memory-server.ts";
import {
  createExported,
  createObservedHost,
  disableApi,
  registerApi,
  type ObservedHost,
  type ObservedHostInit,
} from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

function callSpans(host: ObservedHost): readonly object[] {
  return host.exported
    .spans()
    .filter(({ name }) => name.startsWith("tools/call"))
    .map(({ status, attributes, events }) => ({
      status: status.message,
      error: attributes["error.type"],
      outcome: attributes["hostside.outcome"],
      sends: attributes["hostside.sends"],
      events: events.map(({ name, attributes: of }) => [name, of?.["hostside.decision"] ?? of?.["error.type"]]),
    }));
}

const memory = (...given: Parameters<typeof createMemoryServer>): readonly ServerSpec[] => [
  { id: "s", ...createMemoryServer(...given).spec },
];

describe("the span of a call", () => {
  it("has the code of a JSON-RPC error that the server answered with", async () => {
    const error = { code: -32_000, message: "the password is hunter2" };
    await using host = await createObservedHost({ servers: memory(["a"], () => ({ error })) });
    await host.toolbox.call("mcp_s_a").catch(() => undefined);
    expect(callSpans(host)).toMatchObject([{ status: "-32000", error: "-32000", outcome: "failed", sends: 1 }]);
    const [span] = host.exported.spans().slice(-1);
    expect(span?.attributes["rpc.response.status_code"]).toBe("-32000");
    expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain("hunter2");
    const [point] = (await host.exported.points("mcp.client.operation.duration")).slice(-1);
    expect(point?.attributes).toMatchObject({ "error.type": "-32000", "rpc.response.status_code": "-32000" });
  });

  it("says that it was aborted, that its time was up, and that a policy refused it", async () => {
    const script = { rules: [{ on: "tools/call", do: [{ type: "hold", barrier: "never" }] }] } as const;
    await using server = await startFaultServer({ transport: "stdio", script });
    await using host = await createObservedHost({
      servers: [{ id: "s", ...server.spec }],
      policy: { limits: [{ name: "once", rate: { calls: 2, perMs: 3_600_000 } }] },
    });
    const [tool] = host.toolbox.tools().filter(({ name }) => name.startsWith("mcp_s"));
    const name = tool?.name ?? "";
    const controller = new AbortController();
    const aborted = host.toolbox.call(name, {}, { signal: controller.signal }).catch(() => undefined);
    await expect(host.toolbox.call(name, {}, { timeoutMs: 150 })).rejects.toMatchObject({ code: "call_timeout" });
    controller.abort();
    await aborted;
    await expect(host.toolbox.call(name)).rejects.toMatchObject({ code: "rate_limited" });
    expect(callSpans(host)).toMatchObject([
      { error: "call_timeout", outcome: "unknown", sends: 1 },
      { error: "aborted", outcome: "unknown", sends: 1 },
      { error: "rate_limited", outcome: "not-sent", events: [["hostside.decision", "refused"]] },
    ]);
    expect(await host.exported.points("hostside.decisions")).toMatchObject([
      { attributes: { "hostside.decision": "refused", "hostside.stage": "limits" }, value: 1 },
    ]);
  });

  it("shows each time that a call was sent, when its session was lost", async () => {
    await using server = await startFaultServer({ transport: "http", script: "session-expired" });
    await using host = await createObservedHost({ servers: [{ id: "s", ...server.spec }] });
    const [tool] = host.toolbox.tools().filter(({ name }) => name.startsWith("mcp_s"));
    await host.toolbox.call(tool?.name ?? "").catch(() => undefined);
    expect(callSpans(host)).toMatchObject([
      {
        outcome: "ok",
        sends: 2,
        events: [
          ["hostside.send", "session_expired"],
          ["hostside.send", undefined],
        ],
      },
    ]);
    expect(await host.exported.points("hostside.call.resends")).toMatchObject([{ value: 1 }]);
  });

  it("shows who was asked, what was answered, and what came from the cache", async () => {
    await using host = await createObservedHost({
      servers: [{ id: "s", ...createMemoryServer(["a", "b"]).spec, tools: { b: { effect: "pure" } } }],
      policy: { requireApproval: ["s/a"], approval: { handler: async () => "once" }, cache: {} },
    });
    await host.toolbox.call("mcp_s_a");
    await host.toolbox.call("mcp_s_b", { same: 1 });
    await host.toolbox.call("mcp_s_b", { same: 1 });
    expect(callSpans(host)).toMatchObject([
      {
        events: [
          ["hostside.decision", "approval-asked"],
          ["hostside.decision", "approval-answered: once"],
        ],
      },
      { sends: 1, events: [] },
      { outcome: "ok", sends: undefined, events: [["hostside.decision", "applied"]] },
    ]);
  });
});

describe("a call that a person refused", () => {
  const init: ObservedHostInit = {
    servers: memory(["a", "b"]),
    policy: {
      requireApproval: ["s/a"],
      limits: [{ name: "once", rate: { calls: 1, perMs: 3_600_000 } }],
      approval: { handler: async () => ({ decision: "no", reason: "not on Fridays, token-1" }) },
    },
  };
  const reasonsOf = async (telemetry: TelemetryOptions): Promise<readonly unknown[]> => {
    await using host = await createObservedHost({ ...init, telemetry });
    await host.toolbox.call("mcp_s_a").catch(() => undefined);
    await host.toolbox.call("mcp_s_b");
    await host.toolbox.call("mcp_s_b").catch(() => undefined);
    const events = host.exported.spans().flatMap((span) => span.events);
    return events.map(({ attributes: of }) => [of?.["hostside.decision"], of?.["hostside.reason"]]);
  };

  it("has the words of the host in its span, and not the person's", async () => {
    expect(await reasonsOf({})).toEqual([
      ["approval-asked", expect.stringContaining('"s/a"')],
      ["approval-answered: no", undefined],
      ["refused", undefined],
      ["refused", expect.stringContaining("once")],
    ]);
  });

  it("has these too where texts of results are captured, redacted", async () => {
    const redact = (text: string): string => text.replaceAll("token-1", "***");
    expect((await reasonsOf({ captureResults: true, redact }))[2]).toEqual([
      "refused",
      "was rejected by the user: not on Fridays, ***",
    ]);
  });
});

describe("watch()", () => {
  it.each([
    ["a provider itself", { onServerRecord: () => () => undefined }],
    [
      "what has getters",
      new (class {
        get onServerRecord(): unknown {
          return undefined;
        }
      })(),
    ],
    ["nothing", undefined],
    ["no part", {}],
    ["a part of another name", { provider: undefined, providers: [] }],
  ])("is a TypeError that says how it is called, with %s", (_, given) => {
    expect(() => createTelemetry().watch(given as never)).toThrow(
      new TypeError("watch() takes what it watches by name, as in watch({ provider }): provider, policy, resources"),
    );
  });

  it("takes a part that is absent", () => {
    expect(() => createTelemetry().watch({ provider: undefined })()).not.toThrow();
  });
});

describe("trace context", () => {
  it("goes into a copy of `_meta`, for calls and for other requests, without baggage", async () => {
    const server = createMemoryServer(["a"]);
    await using host = await createObservedHost({ servers: [{ id: "s", ...server.spec }] });
    const from = server.received.length;
    const meta = Object.freeze({ own: 1 });
    const given = propagation.createBaggage({ user: { value: "ada" } });
    await context.with(propagation.setBaggage(context.active(), given), async () => {
      await host.toolbox.call("mcp_s_a", {}, { meta });
      const connection = await host.provider.connection("s");
      await connection.request("resources/read", { uri: "note://x?token=abc" });
    });
    const spans = host.exported.spans().slice(-2);
    const sent = server.received.slice(from);
    expect(sent.map(({ method }) => method)).toEqual(["tools/call", "resources/read"]);
    for (const [index, { params }] of sent.entries()) {
      const { traceId, spanId } = spans[index]?.spanContext() ?? {};
      expect(params["_meta"]).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    }
    expect(spans[1]?.attributes["mcp.resource.uri"]).toBe("note://x");
    for (const { params } of sent) expect(params["_meta"]).not.toHaveProperty("baggage");
  });

  it("makes the span of the call the parent of what runs inside of it, and a child of what is active", async () => {
    await using host = await createObservedHost({ servers: memory(["a"]) });
    const tracer = host.exported.tracerProvider.getTracer("agent");
    const outer = tracer.startSpan("agent");
    await context.with(trace.setSpan(context.active(), outer), () => host.toolbox.call("mcp_s_a"));
    const call = host.exported.spans().find(({ name }) => name === "tools/call a");
    expect(call?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });
});

describe("an SDK that throws", () => {
  it("disturbs no call", async () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const { tracerProvider } = createExported();
    const tracer = tracerProvider.getTracer("x");
    const breaking = ["startSpan", "setAttributes", "addEvent", "end", "setStatus", "setAttribute"];
    for (const broken of breaking) {
      const provider = {
        getTracer: () => ({
          ...tracer,
          startSpan: (...given: Parameters<typeof tracer.startSpan>) => {
            if (broken === "startSpan") return boom();
            return Object.assign(tracer.startSpan(...given), { [broken]: boom });
          },
        }),
      };
      const meter = { getMeter: boom };
      await using host = await createObservedHost({
        servers: memory(["a"]),
        telemetry: {
          tracerProvider: provider,
          meterProvider: meter,
        },
      });
      await expect(host.toolbox.call("mcp_s_a")).resolves.toMatchObject({ isError: false });
      const connection = await host.provider.connection("s");
      await expect(connection.request("resources/read", { uri: "note://x" })).resolves.toBeDefined();
    }
  });
});
