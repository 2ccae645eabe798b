import { metrics, trace } from "@opentelemetry/api";
import type { CallAttempt, CallRecord, ServerRecord, ToolCall } from "@hostside/core";
import { createEvent, tell } from "@hostside/core/implement";
import { afterAll, beforeAll, expect, it } from "vitest";
import { captureText } from "../src/capture.ts";
import { createTelemetry } from "../src/index.ts";
import { createMemoryServer } from "./memory-server.ts";
import { createExported, createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

const call: ToolCall = {
  origin: { serverId: "s", toolName: "pay", qualifiedName: "mcp::s::pay" },
  definition: { name: "mcp_s_pay", description: "", inputSchema: {} },
  args: {},
  options: {},
};
const outcome = { content: [], isError: false, origin: call.origin, raw: {} };

it("has of a call that a layer tried again every send, and all of its waits", async () => {
  const exported = createExported();
  const { interceptor } = createTelemetry(exported.sdk);
  const attempt = (session: number): CallAttempt => ({
    startedAt: 1000 * session,
    durationMs: 5,
    requests: 1,
    peer: { transport: "stdio", session },
  });
  const record = (session: number, connectMs: number): CallRecord => ({
    origin: call.origin,
    startedAt: 0,
    durationMs: 10,
    queueMs: connectMs,
    connectMs,
    listMs: 0,
    turnMs: 0,
    sends: 1,
    attempts: [attempt(session)],
    result: "ok",
  });
  await interceptor(call, async ({ options: { observer } }) => {
    tell(observer?.onRecord, record(1, 2000));
    tell(observer?.onRecord, record(2, 0));
    tell(observer?.onRecord, record(3, 500));
    return outcome;
  });
  const [span] = exported.spans();
  expect(span?.attributes).toMatchObject({
    "hostside.sends": 3,
    "hostside.wait": 2.5,
    "hostside.wait.connect": 2.5,
  });
  expect(span?.events.map(({ attributes }) => attributes?.["hostside.session"])).toEqual([1, 2, 3]);
});

it("lets calls pass where the registered SDK has no tracer to give", async () => {
  trace.setGlobalTracerProvider({
    getTracer() {
      throw new Error("boom");
    },
  });
  try {
    await expect(createTelemetry().interceptor(call, async () => outcome)).resolves.toBe(outcome);
  } finally {
    trace.disable();
  }
});

it("shows of the URI of a resource nobody who may log in there", async () => {
  await using host = await createObservedHost({ servers: [{ id: "s", ...createMemoryServer(["a"]).spec }] });
  const connection = await host.provider.connection("s");
  for (const uri of ["postgres://ada:s3cr3t@db/orders", " https://x.test/s3cr3t-in-path-0123456789?t=s3cr3t"]) {
    await connection.request("resources/read", { uri }).catch(() => undefined);
  }
  const shown = host.exported.spans().map(({ attributes }) => String(attributes["mcp.resource.uri"]));
  expect(shown.join(" ")).not.toContain("s3cr3t");
  expect(shown).toContain("postgres://***@db/orders");
});

interface WatchedServer {
  readonly telemetry: ReturnType<typeof createTelemetry>;
  readonly tell: (record: ServerRecord) => void;
}

function watchServer(telemetry: ReturnType<typeof createTelemetry>): WatchedServer {
  const event = createEvent<ServerRecord>();
  telemetry.watch({ provider: { onServerRecord: event.on } });
  return { telemetry, tell: (record) => event.emit(record) };
}

function serverRecord(serverId: string, port: number, operation: ServerRecord["operation"] = "connect"): ServerRecord {
  const peer = { transport: "http", session: 1, address: "tenants.test", port } as const;
  return { serverId, operation, startedAt: 0, durationMs: 5, peer };
}

it("has at most so many addresses of a server, however often it moves", async () => {
  const exported = createExported();
  const server = watchServer(createTelemetry(exported.sdk));
  for (let port = 1; port <= 220; port += 1) server.tell(serverRecord("tenants", port));
  expect(await exported.points("mcp.client.operation.duration")).toHaveLength(201);
});

it("says of a request what all sessions of its server have in common", async () => {
  const exported = createExported();
  const { telemetry, tell } = watchServer(createTelemetry(exported.sdk));
  for (const [session, port] of [1, 2].entries()) {
    const record = serverRecord("s", port);
    tell({ ...record, peer: { ...record.peer, session, protocolVersion: "2025-11-25" } });
  }
  const request = { serverId: "s", method: "prompts/list", params: undefined, isNotification: false, options: {} };
  await telemetry.requestInterceptor(request, async () => ({}));
  const span = exported.spans().find(({ name }) => name.startsWith("prompts/list"));
  expect(span?.attributes).toMatchObject({
    "mcp.protocol.version": "2025-11-25",
    "network.transport": "tcp",
    "server.address": "tenants.test",
  });
  expect(span?.attributes).not.toHaveProperty("server.port");
});

it("takes away no session that it did not add, because the SDK came later", async () => {
  const exported = createExported();
  const server = watchServer(createTelemetry());
  server.tell(serverRecord("s", 1));
  server.tell({ ...serverRecord("t", 2), peer: { transport: "http", session: 1 } });
  metrics.setGlobalMeterProvider(exported.sdk.meterProvider);
  try {
    server.tell(serverRecord("s", 1, "session"));
    const points = await exported.points("hostside.sessions");
    expect(points.map(({ attributes, value }) => [Reflect.get(attributes, "hostside.server"), value])).toEqual([
      ["s", 0],
      ["t", 1],
    ]);
  } finally {
    metrics.disable();
  }
});

it("keeps no part of a secret that was cut before it could be known for one", () => {
  const rules = { redact: (text: string) => text.replaceAll(/key-\d{40}/g, "***"), maxLength: 100 };
  const secret = `key-${"7".repeat(40)}`;
  for (let before = 0; before < secret.length; before += 1) {
    expect(captureText("x".repeat(before) + secret.repeat(400), rules)).not.toContain("key-7");
  }
});
