import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createServerTelemetry } from "../src/index.ts";
import { createExported, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const other = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01";

it("makes a SERVER span whose parent is what `_meta` says, and links the one that is active", async () => {
  const exported = createExported();
  const telemetry = createServerTelemetry(exported.sdk);
  const http = exported.tracerProvider.getTracer("http").startSpan("POST /mcp");
  const params = { name: "echo", _meta: { traceparent, baggage: "user=ada" } };
  const request = {
    method: "tools/call",
    params,
    requestId: 7,
    headers: { traceparent: other },
    transport: "tcp",
  } as const;
  const inside = await context.with(trace.setSpan(context.active(), http), () =>
    telemetry.serve(request, async () => ({
      span: trace.getActiveSpan()?.spanContext().spanId,
      baggage: propagation.getActiveBaggage()?.getAllEntries().length ?? 0,
    })),
  );
  const [span] = exported.spans();
  expect(span).toMatchObject({ name: "tools/call echo", kind: SpanKind.SERVER, status: { code: 0 } });
  expect(span?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  expect(span?.links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId]);
  expect(span?.attributes).toEqual({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "echo",
    "jsonrpc.request.id": "7",
    "network.transport": "tcp",
  });
  expect(inside).toEqual({ span: span?.spanContext().spanId, baggage: 0 });
});

it("takes the headers where `_meta` has nothing, and else what is active", async () => {
  const exported = createExported();
  const telemetry = createServerTelemetry(exported.sdk);
  await telemetry.serve({ method: "tools/list", headers: { traceparent: other } }, async () => ({}));
  const active = exported.tracerProvider.getTracer("http").startSpan("POST /mcp");
  await context.with(trace.setSpan(context.active(), active), () =>
    telemetry.serve({ method: "tools/list", params: { _meta: { traceparent: "rubbish" } } }, async () => ({})),
  );
  expect(exported.spans().map((span) => [span.parentSpanContext?.spanId, span.links.length])).toEqual([
    ["c7ad6b7169203331", 0],
    [active.spanContext().spanId, 0],
  ]);
});

it("says how a request failed, and measures requests and sessions", async () => {
  const exported = createExported();
  const telemetry = createServerTelemetry(exported.sdk);
  const over = telemetry.sessionStarted({ protocolVersion: "2025-11-25", transport: "pipe" });
  await telemetry.serve({ method: "tools/call", params: { name: "a" } }, async () => ({ isError: true }));
  const error = Object.assign(new Error("secret"), { code: -32_602 });
  await expect(
    telemetry.serve({ method: "prompts/get", params: { name: "p" } }, () => Promise.reject(error)),
  ).rejects.toBe(error);
  over();
  over();
  expect(
    exported
      .spans()
      .map(({ name, status, attributes }) => [name, status.message, attributes["rpc.response.status_code"]]),
  ).toEqual([
    ["tools/call a", "tool_error", undefined],
    ["prompts/get p", "-32602", "-32602"],
  ]);
  expect(await exported.points("mcp.server.operation.duration")).toHaveLength(2);
  expect(await exported.points("mcp.server.session.duration")).toMatchObject([{ value: 1 }]);
});

it("counts names that a client makes up as one, and lets none of them use up the room of those that there are", async () => {
  const exported = createExported();
  const telemetry = createServerTelemetry(exported.sdk);
  const unknown = Object.assign(new Error("unknown"), { code: -32_602 });
  const serve = (method: string, name: string, isThere: boolean): Promise<unknown> =>
    telemetry
      .serve({ method, params: { name }, protocolVersion: isThere ? "2026-07-28" : name }, () =>
        isThere ? Promise.resolve({}) : Promise.reject(unknown),
      )
      .catch(() => undefined);
  for (let index = 0; index < 250; index += 1) {
    await serve("tools/call", `made_up_${index}`, false);
    await serve("prompts/get", `made_up_${index}`, false);
    await serve(`made/up/${index}`, "x", false);
  }
  await serve("tools/call", "echo", true);
  await serve("tools/call", "echo", false);
  const points = await exported.points("mcp.server.operation.duration");
  const values = (name: string): readonly unknown[] => [
    ...new Set(points.flatMap(({ attributes }) => (attributes as Readonly<Record<string, unknown>>)[name] ?? [])),
  ];
  expect(values("gen_ai.tool.name")).toEqual(["_OTHER", "echo"]);
  expect(values("gen_ai.prompt.name")).toEqual(["_OTHER"]);
  expect(values("mcp.method.name")).toEqual(["tools/call", "prompts/get", "_OTHER"]);
  expect(values("mcp.protocol.version")).toEqual(["_OTHER", "2026-07-28"]);
});

it("lets work pass as it is without an SDK", async () => {
  const telemetry = createServerTelemetry();
  expect(await telemetry.serve({ method: "ping" }, async () => 5)).toBe(5);
  telemetry.sessionStarted()();
});
