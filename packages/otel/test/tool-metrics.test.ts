import { createEvent } from "@hostside/core/implement";
import { createProvider } from "@hostside/provider";
import { createResources } from "@hostside/provider/resources";
import { createConnector } from "@hostside/transports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTelemetry } from "../src/index.ts";
import { createMemoryServer } from "./memory-server.ts";
import { createExported, createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

it("has metrics and spans of tools by their plain names", async () => {
  let fails = 0;
  const answer = () => (fails++ < 2 ? { error: { code: -32_000, message: "no" } } : { result: { content: [] } });
  await using host = await createObservedHost({
    servers: [{ id: "s", ...createMemoryServer(["a"], answer).spec, tools: { a: { effect: "pure" } } }],
    telemetry: { toolMetrics: true },
  });
  const context = { role: "planner", correlationId: "job-1" };
  await host.toolbox.call("mcp_s_a", {}, { context }).catch(() => undefined);
  await host.toolbox.call("mcp_s_a", {}, { context }).catch(() => undefined);
  const of = { server: "s", tool: "a" };
  const { points } = host.exported;
  await host.telemetry.interceptor(
    {
      origin: { serverId: "s", toolName: "b", qualifiedName: "q" },
      definition: { name: "local", description: "", inputSchema: {} },
      args: {},
      options: {},
    },
    async ({ origin, options }) => {
      options.observer?.onDecision?.({ type: "applied", stage: "retry", at: 0 });
      return { content: [], isError: false, origin, raw: {} };
    },
  );
  expect(await points("tool_retries_total")).toEqual([{ attributes: { server: "s", tool: "b" }, value: 1 }]);
  expect((await points("tool_invocations_total"))[0]).toEqual({ attributes: of, value: 2 });
  expect(await points("tool_errors_total")).toEqual([{ attributes: { ...of, error: "-32000" }, value: 2 }]);
  expect((await points("tool_latency_seconds"))[0]).toEqual({ attributes: of, value: 2 });
  const circuits = createEvent<{ readonly type: string; readonly serverId: string }>();
  host.telemetry.watch({ policy: { onEvent: circuits.on } });
  for (const type of ["circuit-half-opened", "circuit-closed", "circuit-opened", "other"])
    circuits.emit({ type, serverId: "s" });
  expect(await points("circuit_state")).toEqual([{ attributes: { server: "s" }, value: 2 }]);
  const span = host.exported.spans().find(({ name }) => name.startsWith("tool:"));
  expect(span?.name).toBe("tool:a");
  expect(span?.attributes).toMatchObject({
    "tool.name": "a",
    "tool.version": "1",
    "tool.origin": "mcp::s",
    "mcp.server": "s",
    "agent.id": "planner",
    "correlation.id": "job-1",
    "effect.level": "pure",
  });
});

it("counts reads of resources from a cache and refused URIs, once each", async () => {
  const exported = createExported();
  const telemetry = createTelemetry(exported.sdk);
  const servers = [{ id: "s", ...createMemoryServer(["a"]).spec }];
  const provider = createProvider({ connector: createConnector(), servers });
  const resources = createResources(provider, { cache: { ttlMs: 60_000 }, allowedUris: ["note"] });
  using _watching = telemetry.watch({ provider, resources });
  await resources.read({ serverId: "s", uri: "note://1" });
  await resources.read({ serverId: "s", uri: "note://1" });
  await resources.read({ serverId: "s", uri: "file:///etc/passwd" }).catch(() => undefined);
  telemetry.collect();
  telemetry.collect();
  const { points } = exported;
  const of = (result: string): object => ({ "hostside.server": "s", "hostside.cache.result": result });
  expect(await points("hostside.resource.cache.reads")).toEqual([
    { attributes: of("miss"), value: 1 },
    { attributes: of("hit"), value: 1 },
  ]);
  expect(await points("hostside.resource.refused_uris")).toEqual([
    { attributes: { "hostside.server": "s" }, value: 1 },
  ]);
  await provider.close();
});
