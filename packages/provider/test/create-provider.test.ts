import type { Connection, Connector, ServerSpec } from "@hostside/core";
import { createProvider, type McpProvider, type ServerStatus } from "@hostside/provider";
import { hostsideNaming } from "@hostside/naming";
import { describe, expect, it } from "vitest";
import { firstDate } from "./simulation/virtual-clock.ts";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

async function startWith(world: CalmWorld, ...ids: readonly string[]): Promise<McpProvider> {
  const provider = world.provider({ servers: ids.map((id) => specOf(id)) });
  await provider.init();
  return provider;
}

describe("createProvider()", () => {
  it.each<[string, object]>([
    ["connector must have a connect function", { connector: {} }],
    ["servers must be an array", { servers: {} }],
    ["name must be 1 to 64 characters: a letter, then letters, digits, _ or -", { name: "no spaces" }],
    ['refresh must be "lazy", "debounced" or "manual"', { refresh: "eager" }],
    ["requestInterceptors must be an array of functions", { requestInterceptors: [1] }],
    ["onElicit must be a function", { onElicit: true }],
    ['description must be "with-origin", "brief", "verbatim" or a function', { description: "short" }],
    ["backoff.baseMs must be a number of 0 or more", { backoff: { baseMs: -1 } }],
    ["debounce.quietMs must be a number of 0 or more", { debounce: { quietMs: "300" } }],
    ['createProvider() has no option "refesh"; did you mean refresh?', { refesh: "debounced" }],
    ['backoff has no option "maxMS"; did you mean maxMs?', { backoff: { maxMS: 5 } }],
    ['debounce has no option "quiteMs"; did you mean quietMs?', { debounce: { quiteMs: 5 } }],
    ["backoff takes its options as an object", { backoff: 500 }],
    ["backoff takes its options as an object, not a Map", { backoff: new Map([["baseMs", 5]]) }],
    ["backoff.background must be true or false", { backoff: { background: "no" } }],
    ["debounce takes its options as an object", { debounce: null }],
    ["naming.maxLength must be an integer from 32 to", { naming: { ...hostsideNaming, maxLength: 8 } }],
  ])("throws a TypeError: %s", (message, options) => {
    const make = (): unknown => createCalmWorld().provider(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it("checks every spec before anything starts", () => {
    const world = createCalmWorld();
    const make = (...servers: readonly object[]): unknown =>
      world.provider({ servers: servers as readonly ServerSpec[] });
    expect(() => make(specOf("a"), { id: " " })).toThrow(expect.objectContaining({ code: "invalid_spec" }));
    expect(() => make(specOf("a"), specOf("a"))).toThrow(expect.objectContaining({ code: "duplicate_server" }));
    expect(() => make(specOf("GitHub-Prod"), specOf("github_prod"))).toThrow(
      'server "github_prod" collides with server "GitHub-Prod": both ids are "github_prod" in tool names',
    );
    expect(world.servers.size).toBe(0);
  });

  it("lets the connector check what only it knows", () => {
    const connector: Connector = {
      check: () => {
        throw new RangeError("no such transport here");
      },
      connect: () => Promise.reject(new Error("never")),
    };
    expect(() => createProvider({ connector, servers: [specOf("a")] })).toThrow("no such transport here");
  });

  it("starts nothing, and without servers never does", async () => {
    const world = createCalmWorld();
    world.provider({ servers: [specOf("a")] });
    expect(world.servers.size).toBe(0);
    const provider = world.provider();
    await provider.init();
    await provider.refresh();
    expect([provider.tools(), provider.groups(), provider.statuses()]).toEqual([[], [], []]);
    await provider.close();
    expect(world.servers.size).toBe(0);
  });
});

describe("what a provider is asked", () => {
  const secret = "hunter2hunter2";
  const spec: object = { id: "a", type: "http", url: "https://example.com/mcp", bearerToken: secret };
  const server = spec as never;
  const calls: readonly (readonly [string, (provider: McpProvider) => unknown])[] = [
    ["clearCredentials", (provider) => provider.clearCredentials(server)],
    ["connection", (provider) => provider.connection(server)],
    ["disconnectServer", (provider) => provider.disconnectServer(server)],
    ["hasServer", (provider) => provider.hasServer(server)],
    ["refreshServer", (provider) => provider.refreshServer(server)],
    ["removeServer", (provider) => provider.removeServer(server)],
    ["subscribeResource", (provider) => provider.subscribeResource(server, "note://a")],
  ];
  it.each(calls)(
    "%s() of a spec in the place of its id is a TypeError, which shows nothing of the spec",
    async (name, ask) => {
      const provider = createCalmWorld().provider({ servers: [specOf("a")] });
      const failure = await failureOf(Promise.resolve().then(() => ask(provider)));
      expect(failure).toBeInstanceOf(TypeError);
      expect(failure).toMatchObject({ message: `${name}(): the id of a server must be a string, not an object` });
      await provider.close();
    },
  );

  it.each<[string, string, (provider: McpProvider) => unknown]>([
    [
      "a signal of init() that is none",
      "signal must be an AbortSignal",
      (provider) => provider.init({ signal: {} as never }),
    ],
    [
      "a signal of refresh() that is none",
      "signal must be an AbortSignal",
      (provider) => provider.refresh({ signal: {} as never }),
    ],
    ["a name in place of names", "tools(): names must be an array", (provider) => provider.tools("x" as never)],
    ["names that are none", "tools(): names must be an array", (provider) => provider.tools([5] as never)],
    [
      "options in a Map",
      "applyServers() takes its options as an object, not a Map",
      (provider) => provider.applyServers([], new Map() as never),
    ],
    [
      "a listener that is none",
      "what listens to an event must be a function",
      (provider) => provider.onToolsChanged(undefined as never),
    ],
  ])("refuses %s with a TypeError, and does nothing", async (_, message, ask) => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("a")] });
    const failure = await failureOf(Promise.resolve().then(() => ask(provider)));
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
    expect([provider.serverIds(), world.servers.size]).toEqual([["a"], 0]);
    await provider.close();
  });
});

describe("a connection with layers around it", () => {
  it.each<[string, string, (connection: Connection) => Promise<unknown>]>([
    ["no method", "request(): the method must be a text", (it) => it.request(undefined as never)],
    [
      "a Map for params",
      "request(): params must be an object, not a Map",
      (it) => it.request("ping", new Map() as never),
    ],
    [
      "a call as a request",
      "request(): tools are called by callTool()",
      (it) => it.request("tools/call", { name: "echo" }),
    ],
    [
      "a text for params",
      "notify(): params must be an object, not a string",
      (it) => it.notify("notifications/x", "y" as never),
    ],
    [
      "a call as a notification",
      'notify(): "tools/call" is no notification',
      (it) => it.notify("tools/call", { name: "echo" }),
    ],
    ["no tool", "callTool(): the name of a tool must be a string", (it) => it.callTool(undefined as never, {})],
  ])("refuses %s with a TypeError, and asks no layer", async (_, message, ask) => {
    let asked = 0;
    const count = async <Given, Answer>(given: Given, next: (given: Given) => Promise<Answer>): Promise<Answer> => {
      asked += 1;
      return next(given);
    };
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("a")], requestInterceptors: [count] });
    const connection = await provider.connection("a");
    const failure = await failureOf(ask(connection));
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
    expect(asked).toBe(0);
    await provider.close();
  });
});

describe("statuses()", () => {
  it("is sorted, honest and safe to log", async () => {
    const world = createCalmWorld();
    world.server("bad").faults.connect.push("refuse");
    world.server("locked").faults.connect.push("unauthorized");
    const secret = "sk-very-secret-token";
    const provider = world.provider({
      servers: [
        specOf("off", { disabled: true }),
        specOf("locked"),
        specOf("good", { title: "Good" }),
        { id: "bad", type: "stdio", command: "x", env: { TOKEN: secret } },
      ],
    });
    expect(provider.statuses().map(({ id, state }) => `${id} ${state}`)).toEqual([
      "bad idle",
      "good idle",
      "locked idle",
      "off disabled",
    ]);
    await provider.init();
    const [bad, good, locked, off] = provider.statuses();
    expect(bad).toMatchObject({
      state: "failed",
      stage: "connect",
      toolCount: 0,
      attempts: 1,
      failures: 1,
      transport: "stdio",
    });
    expect(good).toEqual({
      id: "good",
      title: "Good",
      transport: "custom",
      state: "ready",
      since: firstDate,
      toolCount: 1,
      stale: false,
      droppedTools: 0,
      server: world.info("good"),
      connectedAt: firstDate,
      connectMs: 0,
      listMs: 0,
      listedAt: firstDate,
      attempts: 1,
      failures: 0,
      inFlight: 0,
      waiting: 0,
    });
    expect([locked?.state, off?.state]).toEqual(["needs-auth", "disabled"]);
    expect(JSON.stringify(provider.statuses())).not.toContain(secret);
    await provider.close();
  });

  it("tells every change of state once", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("a")] });
    const reported: string[] = [];
    const note = ({ state, stale }: ServerStatus): unknown => reported.push(stale ? `${state}, stale` : state);
    const subscription = provider.onStatusChanged(note);
    await provider.init();
    await provider.refresh();
    for (const session of world.server("a").sessions) session.crash();
    await provider.call("mcp_a_echo");
    subscription();
    await provider.removeServer("a");
    expect(reported).toEqual(["connecting", "ready", "down, stale", "connecting, stale", "ready"]);
    await provider.close();
  });
});

describe("connection()", () => {
  it("gives the live connection, made if there is none", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("a")] });
    const connection = await provider.connection("a");
    expect(connection.server.protocolVersion).toBe("2025-11-25");
    expect(await provider.connection("a")).toBe(connection);
    await expect(provider.connection("nothing")).rejects.toMatchObject({ code: "unknown_server" });
    await provider.close();
    await expect(provider.connection("a")).rejects.toMatchObject({ code: "closed" });
  });
});

describe("close()", () => {
  it("ends everything, tells nobody, and is idempotent", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a", "b");
    world.server("a").faults.call.push("hang");
    const call = provider.call("mcp_a_echo");
    const failed = failureOf(call);
    await world.settle();
    const reported: unknown[] = [];
    provider.onStatusChanged((status) => reported.push(status));
    provider.onToolsChanged((change) => reported.push(change));
    expect(provider.closed).toBe(false);
    const [first, second] = [provider.close(), provider.close()];
    expect(provider.closed).toBe(true);
    expect(first).toBe(second);
    await first;
    expect(await failed).toMatchObject({ code: "closed", outcome: "unknown" });
    expect(reported).toEqual([]);
    expect(world.clock.pending).toBe(0);
    for (const { processes } of world.servers.values()) expect(processes).toBe(0);
    expect([provider.tools(), provider.groups(), provider.statuses()]).toEqual([[], [], []]);
    await expect(provider.init()).rejects.toMatchObject({ code: "closed" });
    await expect(provider.addServer(specOf("c"))).rejects.toMatchObject({ code: "closed" });
  });

  it("says so once, when the provider is closed already", async () => {
    const provider = await startWith(createCalmWorld(), "a");
    const closed: boolean[] = [];
    provider.onClosed(() => {
      closed.push(provider.closed);
      void provider.close();
    });
    await Promise.all([provider.close(), provider.close()]);
    provider.onClosed(() => closed.push(false));
    await provider.close();
    expect(closed).toEqual([true]);
  });

  it("says so once, and ends once, when a request that it ends closes it again", async () => {
    const world = createCalmWorld();
    world.server("a", "read");
    const closed: boolean[] = [];
    const provider: McpProvider = world.provider({
      servers: [specOf("a")],
      requestInterceptors: [
        ({ options }) => {
          options.signal?.addEventListener("abort", () => void provider.close());
          return new Promise(() => undefined);
        },
      ],
    });
    await provider.init();
    provider.onClosed(() => closed.push(provider.closed));
    const request = failureOf((await provider.connection("a")).request("resources/read", {}));
    await world.settle();
    await provider.close();
    expect(await request).toMatchObject({ code: "closed" });
    expect(closed).toEqual([true]);
  });

  it.each(["connect", "list", "back-off"])("ends a server during %s", async (when) => {
    const world = createCalmWorld();
    const { faults } = world.server("a");
    if (when === "connect") faults.connect.push("hang");
    if (when === "list") faults.list.push("hang");
    if (when === "back-off") faults.connect.push("refuse");
    const provider = world.provider({ servers: [specOf("a")] });
    const settled = Promise.allSettled([provider.init()]);
    await world.settle();
    // After a first attempt that failed, it has settled already.
    const isUnderWay = when !== "back-off";
    await provider.close();
    const [init] = await settled;
    expect(init).toMatchObject(
      isUnderWay ? { status: "rejected", reason: { code: "closed" } } : { status: "fulfilled" },
    );
    expect(world.server("a").processes).toBe(0);
    expect(world.clock.pending).toBe(0);
  });

  it("is bounded, also when a connection never closes", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const [session] = world.server("a").sessions;
    if (session) session.connection.close = () => new Promise(() => {});
    const closed = provider.close();
    await world.settle();
    world.clock.advance(12_000);
    await closed;
    expect(world.clock.pending).toBe(0);
  });

  it("comes with `await using`", async () => {
    const world = createCalmWorld();
    {
      await using provider = world.provider({ servers: [specOf("a")] });
      await provider.init();
    }
    expect(world.server("a").processes).toBe(0);
  });
});

describe("a shared provider", () => {
  it("serves many agents with one session for each server", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const agents = Array.from({ length: 8 }, async () => {
      await provider.init();
      return provider.call("mcp_a_echo");
    });
    await Promise.all(agents);
    expect(world.server("a")).toMatchObject({ connects: { started: 1 }, listings: 1 });
    await provider.close();
  });
});
