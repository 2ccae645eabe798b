import { context, propagation, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { JsonObject } from "@hostside/core";
import { startHttpFixture } from "@hostside/fixtures";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTelemetry } from "../src/index.ts";
import { createExported, createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

interface Sent {
  readonly method: string;
  readonly meta: JsonObject;
}

/** Notes every message that leaves over HTTP, as it leaves. */
function noting(sent: Sent[]): { readonly connector: ReturnType<typeof createConnector> } {
  const note: typeof fetch = async (url, init) => {
    if (typeof init?.body === "string" || init?.body instanceof Uint8Array) {
      const text = typeof init.body === "string" ? init.body : new TextDecoder().decode(init.body);
      const { method, params } = JSON.parse(text) as { readonly method: string; readonly params?: JsonObject };
      sent.push({ method, meta: (params?.["_meta"] ?? {}) as JsonObject });
    }
    return fetch(url, init);
  };
  return { connector: createConnector({ fetch: note }) };
}

const traceOf = ({ meta }: Sent): string => (typeof meta["traceparent"] === "string" ? meta["traceparent"] : "");
const idOf = (message: Sent): string => traceOf(message).slice(3, -3);
const idOfSpan = (span: ReadableSpan | undefined): string => {
  const { traceId, spanId } = span?.spanContext() ?? { traceId: "", spanId: "" };
  return `${traceId}-${spanId}`;
};

describe("the trace context goes along with all that is sent, to a server of", () => {
  it.each([
    ["2025-11-25", "legacy-http", ["initialize", "notifications/initialized"]],
    ["2026-07-28", "modern-http", ["server/discover", "subscriptions/listen"]],
  ] as const)("%s", async (revision, fixture, opening) => {
    const sent: Sent[] = [];
    await using server = await startHttpFixture(fixture);
    const era = revision === "2026-07-28" ? revision : "legacy";
    const host = await createObservedHost({
      servers: [{ id: "s", type: "http", url: server.url, era }],
      provider: noting(sent),
    });
    const { toolbox, provider, exported } = host;
    const outer = exported.tracerProvider.getTracer("agent").startSpan("invoke_agent");
    await context.with(trace.setSpan(context.active(), outer), async () => {
      await provider.refresh();
      await toolbox.call("mcp_s_echo", { text: "hello" });
    });
    outer.end();
    await host[Symbol.asyncDispose]();

    const spans = exported.spans();
    const ofMethod = (method: string): ReadableSpan[] => spans.filter(({ name }) => name === method);
    const messages = (method: string): Sent[] => sent.filter((message) => message.method === method);
    const [connected] = ofMethod(opening[0]);
    // What a connection begins with is in the span of the attempt, and that in nobody's trace:
    // nobody waited in one.
    expect(connected?.parentSpanContext).toBeUndefined();
    for (const method of opening) expect(messages(method).map(idOf)).toEqual([idOfSpan(connected)]);
    expect(messages("tools/list").map(idOf)).toEqual(ofMethod("tools/list").map(idOfSpan));
    expect(messages("tools/list").length).toBe(2);
    expect(ofMethod("tools/list")[0]?.parentSpanContext).toBeUndefined();
    expect(ofMethod("tools/list")[1]?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(messages("tools/call").map(idOf)).toEqual(ofMethod("tools/call echo").map(idOfSpan));
    expect(sent.filter(({ meta }) => meta["traceparent"] === undefined)).toEqual([]);
    const said = new Set(sent.map(({ meta }) => meta["io.modelcontextprotocol/protocolVersion"]));
    expect(said).toEqual(new Set([revision === "2026-07-28" ? revision : undefined]));
  });
});

it("hangs what a call had to wait for beneath the span of that call", async () => {
  const sent: Sent[] = [];
  await using server = await startHttpFixture("legacy-http");
  const host = await createObservedHost({
    servers: [{ id: "s", type: "http", url: server.url, era: "legacy" }],
    provider: noting(sent),
  });
  const { provider, toolbox, exported } = host;
  await provider.disconnectServer("s");
  sent.length = 0;
  await toolbox.call("mcp_s_echo", { text: "hello" });
  await host[Symbol.asyncDispose]();
  const call = exported.spans().find(({ name }) => name === "tools/call echo");
  const waitedFor = exported
    .spans()
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === call?.spanContext().spanId);
  expect(waitedFor.map(({ name }) => name)).toEqual(["initialize", "tools/list"]);
  expect(new Set(sent.map((message) => traceOf(message).slice(3, 35)))).toEqual(new Set([call?.spanContext().traceId]));
});

it("keeps the trace to itself where that is wanted, and the baggage always", async () => {
  for (const [options, members] of [
    [{ propagate: false }, []],
    [{}, ["traceparent"]],
  ] as const) {
    const sent: Sent[] = [];
    await using server = await startHttpFixture("legacy-http");
    const host = await createObservedHost({
      servers: [{ id: "s", type: "http", url: server.url, era: "legacy" }],
      telemetry: options,
      provider: noting(sent),
    });
    await host.provider.disconnectServer("s");
    sent.length = 0;
    const outer = host.exported.tracerProvider.getTracer("agent").startSpan("invoke_agent");
    const baggage = propagation.createBaggage({ tenant: { value: "acme" } });
    const within = propagation.setBaggage(trace.setSpan(context.active(), outer), baggage);
    await context.with(within, () => host.provider.refresh());
    await host[Symbol.asyncDispose]();
    for (const { meta } of sent) expect(Object.keys(meta)).toEqual(members);
    expect(sent.map(({ method }) => method)).toContain("tools/list");
  }
});

it("is asked for nothing where nobody watches, and disturbs nobody where it throws", async () => {
  await using server = await startHttpFixture("modern-http");
  const spec = { id: "s", type: "http", url: server.url } as const;
  const sent: Sent[] = [];
  const { connector } = noting(sent);
  const seen: boolean[] = [];
  const watching = createProvider({
    servers: [spec],
    connector: {
      connect(...[to, hooks, signal]) {
        seen.push(hooks.requestMeta !== undefined);
        return connector.connect(to, hooks, signal);
      },
    },
  });
  await watching.init();
  await watching.disconnectServer("s");
  const exported = createExported();
  const telemetry = createTelemetry(exported.sdk);
  propagation.disable();
  propagation.setGlobalPropagator({
    inject() {
      throw new Error("a propagator that is broken");
    },
    extract: (from) => from,
    fields: () => [],
  });
  using _watch = telemetry.watch({ provider: watching });
  await watching.refresh();
  expect(seen).toEqual([false, true]);
  expect(watching.tools().length).toBeGreaterThan(0);
  expect(exported.spans().map(({ name }) => name)).toEqual(["server/discover", "tools/list"]);
  expect(sent.filter(({ meta }) => meta["traceparent"] !== undefined)).toEqual([]);
  await watching.close();
  disableApi();
  registerApi();
});

it("goes along with what a product sends on a connection that it opens itself", async () => {
  await using server = await startHttpFixture("legacy-http");
  const sent: Sent[] = [];
  const connection = await noting(sent).connector.connect(
    { id: "s", type: "http", url: server.url, era: "legacy" },
    { onToolsChanged: () => {}, onDown: () => {}, requestMeta: () => ({ traceparent: "00-1" }) },
    new AbortController().signal,
  );
  await connection.listTools({ observer: { meta: () => ({ traceparent: "00-2" }) } });
  await connection.close();
  expect(sent.map(({ method, meta }) => [method, meta["traceparent"]])).toEqual([
    ["initialize", "00-1"],
    ["notifications/initialized", "00-1"],
    ["tools/list", "00-2"],
  ]);
});
