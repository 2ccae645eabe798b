import { SpanKind } from "@opentelemetry/api";
import { createGateway } from "@hostside/gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createServerTelemetry } from "../src/index.ts";
import { createMemoryServer } from "./memory-server.ts";
import { createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const trace = "0af7651916cd43dd8448eb211c80319c";

it("is one trace from the client of a gateway to the server behind it, and measures both of its sides", async () => {
  const server = createMemoryServer(["create"]);
  await using host = await createObservedHost({ servers: [{ id: "memo", ...server.spec }] });
  const { exported, toolbox } = host;
  const gateway = createGateway({
    name: "gate",
    version: "1",
    expose: "all",
    tools: "all",
    open: (client) => ({ tools: toolbox.view(client.view) }),
    telemetry: createServerTelemetry(exported.sdk),
  });
  const answers = new Map<unknown, (message: object) => void>();
  const connection = gateway.connect((text) => {
    const message = JSON.parse(text) as { readonly id?: unknown };
    answers.get(message.id)?.(message);
    return true;
  });
  const ask = async (id: number, method: string, params: object): Promise<object> =>
    new Promise((resolve) => {
      answers.set(id, resolve);
      connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  const clientInfo = { name: "test", version: "1" };
  await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  connection.receive(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  await host.provider.disconnectServer("memo");
  const answer = await ask(2, "tools/call", { name: "mcp_memo_create", arguments: {}, _meta: { traceparent } });
  expect(answer).toMatchObject({ result: { content: [{ type: "text", text: "done" }] } });
  await gateway.close();

  const spans = exported.spans().filter((span) => span.spanContext().traceId === trace);
  const served = spans.find(({ kind }) => kind === SpanKind.SERVER);
  const called = spans.find(({ name }) => name === "tools/call create");
  expect(served).toMatchObject({ name: "tools/call mcp_memo_create", attributes: { "network.transport": "pipe" } });
  expect(served?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  expect(called?.parentSpanContext?.spanId).toBe(served?.spanContext().spanId);
  const call = server.received.find(({ method }) => method === "tools/call");
  expect(call?.params["_meta"]).toMatchObject({ traceparent: `00-${trace}-${called?.spanContext().spanId}-01` });
  // What the call had to wait for is in its trace, too, here and at the server.
  const waitedFor = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === called?.spanContext().spanId);
  expect(waitedFor.map(({ name }) => name)).toEqual(["initialize", "tools/list"]);
  const listings = server.received.filter(({ method }) => method === "tools/list");
  expect(listings.at(-1)?.params["_meta"]).toEqual({
    traceparent: `00-${trace}-${waitedFor[1]?.spanContext().spanId}-01`,
  });
  const operations = await exported.points("mcp.server.operation.duration");
  expect(operations).toContainEqual({
    attributes: expect.objectContaining({ "mcp.method.name": "tools/call" }),
    value: 1,
  });
  expect(await exported.points("mcp.server.session.duration")).toHaveLength(1);
});
