import { createEvent } from "@hostside/core/implement";
import { createProvider } from "@hostside/provider";
import { createSharedProviders } from "@hostside/cluster";
import { createResources } from "@hostside/provider/resources";
import { createConnector } from "@hostside/transports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTelemetry } from "../src/index.ts";
import { createMemoryServer } from "./memory-server.ts";
import { createExported, createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

it("has the names of AgentFramework", async () => {
  let fails = 0;
  const answer = () => (fails++ < 2 ? { error: { code: -32_000, message: "no" } } : { result: { content: [] } });
  await using host = await createObservedHost({
    servers: [{ id: "s", ...createMemoryServer(["a"], answer).spec, tools: { a: { effect: "pure" } } }],
    telemetry: { names: "af" },
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
  expect(await points("hostside.call.duration")).toEqual([]);
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

it("has the names of nexo, for the sessions of a pool and for resources", async () => {
  const exported = createExported();
  const telemetry = createTelemetry({ ...exported.sdk, names: ["nexo", "hostside"] });
  const server = createMemoryServer(["a"]);
  await using pool = createSharedProviders({
    servers: [{ id: "s", ...server.spec, sharing: "principal" }],
    make: ({ servers }) => createProvider({ connector: createConnector(), servers }),
  });
  using _pool = telemetry.watch({ pool });
  using lease = await pool.lease({ principal: "ada", conversation: "1" });
  const [provider] = lease.providers;
  if (provider === undefined) throw new Error("there is no provider");
  const resources = createResources(provider, { cache: { ttlMs: 60_000 }, allowedUris: ["note"] });
  using _more = telemetry.watch({ provider, resources });
  await resources.read({ serverId: "s", uri: "note://1" });
  await resources.read({ serverId: "s", uri: "note://1" });
  await resources.read({ serverId: "s", uri: "file:///etc/passwd" }).catch(() => undefined);
  telemetry.collect();
  const { points } = exported;
  expect(await points("mcp_sessions_active")).toEqual([{ attributes: {}, value: 1 }]);
  expect(await points("mcp_sessions_created_total")).toEqual([{ attributes: {}, value: 1 }]);
  expect(await points("mcp_resource_cache_hits_total")).toEqual([{ attributes: { server: "s" }, value: 1 }]);
  expect(await points("mcp_resource_cache_misses_total")).toEqual([{ attributes: { server: "s" }, value: 1 }]);
  expect(await points("mcp_resource_uri_allowlist_violations_total")).toEqual([
    { attributes: { server: "s" }, value: 1 },
  ]);
  await pool.dispose({ principal: "ada" });
  expect(await points("mcp_sessions_active")).toEqual([{ attributes: {}, value: 0 }]);
  expect(await points("mcp_sessions_disposed_total")).toEqual([{ attributes: { reason: "disposed" }, value: 1 }]);
  expect(await points("mcp_session_lifetime_seconds")).toEqual([{ attributes: {}, value: 1 }]);
});
