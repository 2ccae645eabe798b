import {
  HostsideError,
  type CallContext,
  type Connection,
  type Connector,
  type RequestInterceptor,
} from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { describe, expect, it } from "vitest";

const spec = { id: "srv", type: "stdio", command: "srv" } as const;

it("the principal of a provider is that of all its sessions, and of the credentials that it clears", async () => {
  const seen: unknown[] = [];
  const connector: Connector = {
    async connect(_spec, { principal }) {
      seen.push(["connect", principal]);
      throw new HostsideError("no", { code: "auth_required", serverId: "srv" });
    },
    async clearCredentials({ id }, options) {
      seen.push(["clear", id, options?.principal]);
    },
  };
  await using provider = createProvider({ connector, servers: [spec], principal: "ann" });
  await provider.init();
  await provider.clearCredentials("srv");
  expect(seen).toEqual([
    ["connect", "ann"],
    ["clear", "srv", "ann"],
  ]);
  for (const principal of ["", 7 as never])
    expect(() => createProvider({ connector, principal })).toThrow("principal must be a text that is not empty");
});

describe("the context of what a provider with a principal does", () => {
  const givens: readonly (readonly [string, CallContext | undefined, CallContext])[] = [
    ["none", undefined, { principal: "ann" }],
    ["an empty one", {}, { principal: "ann" }],
    ["one that names nobody", { conversation: "c", principal: undefined }, { conversation: "c", principal: "ann" }],
    ["a frozen one", Object.freeze({ conversation: "c" }), { conversation: "c", principal: "ann" }],
    ["the same principal", { principal: "ann", role: "r" }, { principal: "ann", role: "r" }],
    ["another principal", { principal: "bob" }, { principal: "bob" }],
  ];

  it.each(givens)("has it for layers, connections and records, given %s", async (_title, context, expected) => {
    const { provider, layers, sent, records } = await open({ layered: true });
    const before = JSON.stringify(context);
    await provider.call("mcp_srv_echo", {}, { context });
    const connection = await provider.connection("srv");
    await connection.callTool("echo", {}, { context });
    await connection.request("resources/read", { uri: "note://a" }, { context });
    (await connection.subscribeResource("note://a", { context }))();
    expect(layers).toEqual(Array.from({ length: 2 }, () => expected));
    expect(sent).toEqual(Array.from({ length: 4 }, () => expected));
    expect(records).toEqual(Array.from({ length: 2 }, () => expected));
    expect(JSON.stringify(context)).toBe(before);
  });

  it.each(givens)("has it on a connection without layers, given %s", async (_title, context, expected) => {
    const { provider, sent } = await open();
    const connection = await provider.connection("srv");
    expect(await provider.connection("srv")).toBe(connection);
    await connection.callTool("echo", {}, { context });
    await connection.request("resources/read", { uri: "note://a" }, { context });
    (await connection.subscribeResource("note://a", { context }))();
    expect(sent).toEqual([expected, expected, expected]);
    await expect(connection.request("x", {}, { context: { user: "eve" } as never })).rejects.toThrow(
      'a context has no member "user"',
    );
  });

  it("has it where no context can be given: in notifications, what the provider subscribes to, and questions", async () => {
    const { provider, layers, hooks, asked } = await open({ layered: true });
    await (await provider.connection("srv")).notify("notifications/mine");
    await provider.subscribeResource("srv", "note://a");
    expect(layers).toEqual([{ principal: "ann" }, { principal: "ann" }]);
    const over = new AbortController().signal;
    for (const context of [undefined, { conversation: "c" }, { principal: "bob" }])
      await hooks().onElicit?.({ serverId: "srv", mode: "form", message: "?", params: {}, context }, over);
    expect(asked).toEqual([{ principal: "ann" }, { conversation: "c", principal: "ann" }, { principal: "bob" }]);
  });

  it("is as it was given where the provider has none", async () => {
    const { provider, sent, asked, hooks } = await open({ principal: undefined });
    await provider.call("mcp_srv_echo");
    await provider.call("mcp_srv_echo", {}, { context: { conversation: "c" } });
    await (await provider.connection("srv")).request("resources/read", { uri: "note://a" });
    await hooks().onElicit?.({ serverId: "srv", mode: "form", message: "?", params: {} }, new AbortController().signal);
    expect([sent, asked]).toEqual([[undefined, { conversation: "c" }, undefined], [undefined]]);
  });
});

interface Opened {
  readonly provider: McpProvider;
  /** The context of what passed a layer. */
  readonly layers: (CallContext | undefined)[];
  /** The context of what a connection was handed. */
  readonly sent: (CallContext | undefined)[];
  /** The context of each record of a call. */
  readonly records: (CallContext | undefined)[];
  /** The context of each question. */
  readonly asked: (CallContext | undefined)[];
  readonly hooks: () => ConnectionHooks;
}

async function open({
  layered = false,
  ...options
}: Partial<ProviderOptions> & { layered?: boolean } = {}): Promise<Opened> {
  const [layers, sent, records, asked]: Opened["sent"][] = [[], [], [], []];
  let latest: ConnectionHooks | undefined;
  const request: RequestInterceptor = (each, next) => {
    layers?.push(each.options.context);
    return next(each);
  };
  const provider = createProvider({
    connector: {
      async connect(_spec, hooks) {
        latest = hooks;
        return connectionTo((context) => void sent?.push(context));
      },
    },
    servers: [spec],
    principal: "ann",
    ...(layered && { requestInterceptors: [request] }),
    async onElicit({ context }) {
      asked?.push(context);
      return { action: "accept" };
    },
    ...options,
  });
  provider.onCallEnded(({ context }) => records?.push(context));
  await provider.init();
  const hooks = (): ConnectionHooks => {
    if (latest === undefined) throw new Error("no session");
    return latest;
  };
  return { provider, layers: layers ?? [], sent: sent ?? [], records: records ?? [], asked: asked ?? [], hooks };
}

function connectionTo(note: (context: CallContext | undefined) => void): Connection {
  return {
    server: {
      era: "legacy",
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: { subscribe: true } },
    },
    listTools: async () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }], dropped: [], pages: 1 }),
    async callTool(_name, _args, options) {
      note(options?.context);
      return { content: [] };
    },
    async request(_method, _params, options) {
      note(options?.context);
      return { content: [] };
    },
    notify: async () => undefined,
    async subscribeResource(_uri, options) {
      note(options?.context);
      return Object.assign(() => {}, { [Symbol.dispose]: () => {} });
    },
    close: async () => undefined,
  };
}
