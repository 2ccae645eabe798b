import { Client } from "@modelcontextprotocol/client";
import type { Interceptor, ServerSpec } from "@hostside/core";
import { createPolicy, type PolicyEvent, type PolicyOptions } from "@hostside/policy";
import { startAuthorizedServer } from "@hostside/fixtures";
import { createHost } from "hostside";
import { createHostGateway } from "hostside/gateway";
import { describe, expect, it } from "vitest";
import { createUserTransport } from "../../../gateway/test/user-transport.ts";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

const servers: readonly ServerSpec[] = [{ id: "a", type: "stdio", command: "x" }];

/** Options of a policy that has every call approved, and what it was asked and told. */
function watchedPolicy() {
  const asked: string[] = [];
  const events: PolicyEvent[] = [];
  const options: PolicyOptions = {
    approval: { mode: "all", handler: async ({ tool }) => (asked.push(tool.qualifiedName), "once") },
    onEvent: (event) => void events.push(event),
  };
  const invoked = (): number => events.filter(({ type }) => type === "invoked").length;
  return { options, asked, invoked };
}

describe("the policy of a host", () => {
  it("asks once, and logs once, though an interceptor behind it changes the context", async () => {
    const { options, asked, invoked } = watchedPolicy();
    const policy = createPolicy(options);
    const correlate: Interceptor = (call, next) =>
      next({ ...call, options: { ...call.options, context: { ...call.options.context, correlationId: "c-1" } } });
    const seen: (string | undefined)[] = [];
    const note: Interceptor = (call, next) => (seen.push(call.options.context?.correlationId), next(call));
    await using host = await createHost({
      connector: createFakeConnector(),
      servers: byName(servers),
      policy: { ...policy, interceptors: [...policy.interceptors, correlate, note] },
    });
    await host.call("mcp_a_echo");
    expect(asked).toEqual(["mcp::a::echo"]);
    expect(invoked()).toBe(1);
    expect(seen).toEqual(["c-1"]);
  });

  it.each<[string, PolicyOptions, "plain" | "bounded"]>([
    ["a rule on another tool", { deny: ["*/never_*"], defaultDecision: "allow" }, "plain"],
    ["an approval of another tool", { requireApproval: ["a/other"], defaultDecision: "allow" }, "plain"],
    ["an approval of the tool", { approval: { mode: "all", handler: async () => "once" } }, "bounded"],
    ["a listener", { onEvent: () => undefined }, "bounded"],
    ["a limit", { limits: [{ concurrency: 5 }] }, "bounded"],
  ])("has a call bounded by a signal of its own only where a stage looks at it: %s", async (_what, policy, way) => {
    const connector = createFakeConnector();
    const signals: (AbortSignal | undefined)[] = [];
    await using host = await createHost({
      connector: {
        ...connector,
        async connect(...given) {
          const connection = await connector.connect(...given);
          return {
            ...connection,
            callTool: (name, args, options) => (
              signals.push(options?.signal),
              connection.callTool(name, args, options)
            ),
          };
        },
      },
      servers: byName(servers),
      policy,
    });
    await using conversation = await host.conversation();
    expect(await conversation.call("mcp_a_echo")).toMatchObject({ isError: false });
    expect(signals.map((signal) => (signal === undefined ? "plain" : "bounded"))).toEqual([way]);
  });

  it("looks once at each call, by whichever way it comes", async () => {
    const { options, asked, invoked } = watchedPolicy();
    await using host = await createHost({
      connector: createFakeConnector({ a: { resources: true }, mine: {} }),
      servers: byName([...servers, { id: "mine", sharing: "principal", type: "stdio", command: "x" }]),
      pool: {},
      tools: [{ definition: { name: "own", description: "own", inputSchema: { type: "object" } }, run: () => "done" }],
      policy: options,
    });
    await using conversation = await host.conversation({ principal: "ann" });
    const reader = host.tools().find(({ name }) => name.includes("resources") && name.includes("list"))?.name;
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      toolbox: () => host.toolbox.call("mcp_a_echo"),
      host: () => host.call("mcp_a_echo"),
      conversation: () => conversation.call("mcp_a_echo"),
      pooled: () => conversation.call("mcp_mine_echo"),
      static: () => conversation.call("own"),
      resources: () => host.call(reader ?? ""),
      async gateway() {
        await using gateway = createHostGateway(host, { name: "product", version: "1", expose: "all" });
        const client = new Client({ name: "client", version: "1" });
        await client.connect(createUserTransport(gateway, "ann"));
        await client.callTool({ name: "mcp_mine_echo" });
        await client.close();
      },
    };
    const found: Record<string, number> = {};
    for (const [way, call] of Object.entries(ways)) {
      const before = invoked();
      await call();
      found[way] = invoked() - before;
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(ways).map((way) => [way, 1])));
    expect(asked.filter((name) => name.endsWith("echo"))).toEqual([
      ...Array.from({ length: 3 }, () => "mcp::a::echo"),
      ...Array.from({ length: 2 }, () => "mcp::mine::echo"),
    ]);
  });

  it("looks once at the call of a tool that signs in", async () => {
    await using server = await startAuthorizedServer();
    const { options, invoked } = watchedPolicy();
    const pages: string[] = [];
    await using host = await createHost({
      servers: { guarded: { type: "http", url: server.url, auth: "oauth" } },
      authenticateTools: true,
      auth: { prompt: async ({ serverId }) => (pages.push(serverId), "cancelled") },
      policy: options,
    });
    const tool = host.tools().find(({ name }) => name.includes("authenticate"));
    await host.call(tool?.name ?? "");
    expect([invoked(), pages]).toEqual([1, ["guarded"]]);
  });
});
