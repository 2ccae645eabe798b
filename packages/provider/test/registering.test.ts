import { HostsideError, type Connector, type ServerSpec } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";
import { describe, expect, it, vi } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { specOf } from "./simulation/simulated-server.ts";

describe("registerServer()", () => {
  it("starts nothing; the tools come with the first that needs them", async () => {
    const world = createCalmWorld();
    const provider = world.provider();
    const states: string[] = [];
    provider.onStatusChanged(({ id, state }) => states.push(`${id} ${state}`));
    provider.registerServer(specOf("a"));
    expect(provider.statuses()).toMatchObject([{ id: "a", state: "idle", attempts: 0, toolCount: 0 }]);
    await world.settle();
    expect(world.server("a").connects.started).toBe(0);
    await provider.init({ toolName: "mcp_a_echo" });
    expect(await provider.call("mcp_a_echo")).toMatchObject({ isError: false });
    expect(states).toEqual(["a idle", "a connecting", "a ready"]);
    await provider.close();
  });

  it("refuses what addServer() refuses, at once", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("a")] });
    const codeOf = (spec: unknown): unknown => {
      try {
        return provider.registerServer(spec as ServerSpec);
      } catch (error) {
        return error instanceof HostsideError ? error.code : error;
      }
    };
    expect([codeOf({ id: "b" }), codeOf(specOf("A"))]).toEqual(["invalid_spec", "duplicate_server"]);
    await provider.close();
    expect(codeOf(specOf("c"))).toBe("closed");
  });

  it("keeps a server that wants an authorization, so that it can be signed in to", async () => {
    const world = createCalmWorld();
    const provider = world.provider();
    world.server("a").faults.connect.push("unauthorized", "unauthorized");
    expect(await failureOf(provider.addServer(specOf("a")))).toMatchObject({ code: "auth_required" });
    expect(provider.hasServer("a")).toBe(false);
    provider.registerServer(specOf("a"));
    const failure = await failureOf(provider.refreshServer("a", { interactive: true }));
    expect(failure).toMatchObject({ code: "auth_required" });
    expect(provider.statuses()[0]).toMatchObject({ state: "needs-auth" });
    await provider.refreshServer("a");
    expect(provider.tools()).toHaveLength(1);
    await provider.close();
  });
});

describe("routes()", () => {
  it("says where every name on offer leads, and what the tool does", async () => {
    const world = createCalmWorld();
    world.server("b", "Read Me", "x");
    const provider = world.provider({ servers: [specOf("b"), specOf("a")] });
    expect(provider.routes()).toEqual([]);
    await provider.init();
    const route = (name: string, serverId: string, toolName: string): unknown =>
      expect.objectContaining({ name, serverId, toolName, effect: "external" });
    expect(provider.routes()).toEqual([
      route("mcp_a_echo", "a", "echo"),
      route("mcp_b_read_me", "b", "Read Me"),
      route("mcp_b_x", "b", "x"),
    ]);
    await provider.close();
    expect(provider.routes()).toEqual([]);
  });
});

interface Acts {
  readonly abort: AbortController;
  readonly close: () => unknown;
  readonly remove: () => unknown;
}

describe("addServer() and failures that pass", () => {
  const passing: readonly [string, ConstructorParameters<typeof HostsideError>[1]][] = [
    ["HTTP 503", { code: "http_error", details: { httpStatus: 503 } }],
    ["HTTP 408", { code: "http_error", details: { httpStatus: 408 } }],
    ["HTTP 429", { code: "rate_limited", details: { httpStatus: 429 } }],
    ["a start that takes too long", { code: "connect_timeout" }],
    ["a listing that takes too long", { code: "list_timeout" }],
  ];

  function failing(world: ReturnType<typeof createCalmWorld>, ...errors: readonly HostsideError[]): Connector {
    const simulated = createSimulatedConnector(world);
    const left = [...errors];
    return {
      async connect(spec, hooks, signal) {
        const error = left.shift();
        if (error !== undefined) throw error;
        return simulated.connect(spec, hooks, signal);
      },
    };
  }

  it.each(passing)("tries again after 250 ms and after 1 s, and no more: %s", async (_what, init) => {
    const world = createCalmWorld();
    const error = new HostsideError("busy", init);
    // By itself the server would be tried again after 100 ms.
    vi.spyOn(Math, "random").mockReturnValue(0.2);
    const provider = world.provider({ connector: failing(world, error, error) });
    let done = false;
    const added = provider.addServer(specOf("a")).then(() => (done = true));
    for (const waitMs of [250, 1000]) {
      await world.settle();
      expect(world.clock.pending).toBe(1);
      world.clock.advance(waitMs - 1);
      await world.settle();
      expect([done, world.server("a").connects.started, provider.tools()]).toEqual([false, 0, []]);
      world.clock.advance(1);
    }
    await added;
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", attempts: 3 });
    await provider.close();
    const another = world.provider({ connector: failing(world, error, error, error) });
    const failed = failureOf(another.addServer(specOf("a")));
    for (const waitMs of [250, 1000]) {
      await world.settle();
      world.clock.advance(waitMs);
    }
    expect(await failed).toMatchObject({ code: error.code, serverId: "a" });
    expect([another.serverIds(), world.clock.pending]).toEqual([[], 0]);
    await another.close();
  });

  it.each<[string, ConstructorParameters<typeof HostsideError>[1]]>([
    ["HTTP 404", { code: "http_error", details: { httpStatus: 404 } }],
    ["HTTP 501", { code: "http_error", details: { httpStatus: 501 } }],
    ["credentials", { code: "auth_required" }],
    ["a program that is not there", { code: "spawn_failed" }],
    ["a server that asks for a minute", { code: "rate_limited", details: { retryAfterMs: 60_000 } }],
  ])("does not try again after %s", async (_what, init) => {
    const world = createCalmWorld();
    const provider = world.provider({ connector: failing(world, new HostsideError("no", init)) });
    expect(await failureOf(provider.addServer(specOf("a")))).toMatchObject({ code: init.code });
    expect([provider.serverIds(), world.clock.pending]).toEqual([[], 0]);
    await provider.close();
  });

  it("waits as long as the server asks, within reason", async () => {
    const world = createCalmWorld();
    const error = new HostsideError("busy", { code: "rate_limited", details: { retryAfterMs: 4000 } });
    const provider = world.provider({ connector: failing(world, error) });
    const added = provider.addServer(specOf("a"));
    await world.settle();
    world.clock.advance(3999);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "failed" });
    world.clock.advance(1);
    await added;
    await provider.close();
  });

  it.each<[string, string, (acts: Acts) => void]>([
    ["the caller gives up", "aborted", ({ abort }) => abort.abort(new Error("enough"))],
    ["the server is removed", "server_removed", ({ remove }) => void remove()],
    ["the provider closes", "closed", ({ close }) => void close()],
  ])("waits no longer when %s: %s", async (_what, code, act) => {
    const world = createCalmWorld();
    const error = new HostsideError("busy", { code: "http_error", details: { httpStatus: 503 } });
    const provider = world.provider({ connector: failing(world, error, error) });
    const abort = new AbortController();
    const failed = failureOf(provider.addServer(specOf("a"), { signal: abort.signal }));
    await world.settle();
    act({ abort, close: () => provider.close(), remove: () => provider.removeServer("a") });
    expect(await failed).toMatchObject({ code });
    expect([provider.serverIds(), world.clock.pending]).toEqual([[], 0]);
    await provider.close();
  });
});

describe("init() and a server that is busy", () => {
  it.each<[string, (provider: McpProvider) => Promise<unknown>]>([
    ["the server is removed", (provider) => provider.removeServer("a")],
    ["the provider closes", (provider) => provider.close()],
  ])("lets everybody go who waits for it when %s", async (_what, end) => {
    const world = createCalmWorld();
    const error = new HostsideError("busy", { code: "rate_limited", details: { retryAfterMs: 4000 } });
    const connect = (): Promise<never> => Promise.reject(error);
    const provider = world.provider({ connector: { connect }, servers: [specOf("a")] });
    const over: string[] = [];
    const note = (name: string) => (): void => void over.push(name);
    for (const name of ["first", "second"]) void provider.init().then(note(name), note(name));
    await world.settle();
    expect(over).toEqual([]);
    void end(provider);
    await world.settle();
    expect(over.toSorted()).toEqual(["first", "second"]);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });
});

describe("clearCredentials()", () => {
  function forgetful(world: ReturnType<typeof createCalmWorld>): {
    readonly connector: Connector;
    readonly steps: string[];
  } {
    const steps: string[] = [];
    const connector: Connector = {
      ...createSimulatedConnector(world),
      async clearCredentials({ id }) {
        steps.push(`${world.server(id).processes} sessions`);
        await world.pause(id, "forgets");
        steps.push("forgotten");
      },
    };
    return { connector, steps };
  }

  it("ends the session, then has the connector forget; registration and tools stay", async () => {
    const world = createCalmWorld();
    const { connector, steps } = forgetful(world);
    const provider = world.provider({ connector, servers: [specOf("a")] });
    await provider.init();
    world.server("a").faults.call.push("hang");
    const under = failureOf(provider.call("mcp_a_echo", { id: "1" }));
    await world.settle();
    await provider.clearCredentials("a");
    expect(await under).toMatchObject({ code: "server_removed", outcome: "unknown" });
    expect(steps).toEqual(["0 sessions", "forgotten"]);
    expect(provider.statuses()[0]).toMatchObject({ state: "idle", toolCount: 1, stale: true });
    world.server("a").faults.connect.push("unauthorized");
    expect(await failureOf(provider.call("mcp_a_echo"))).toMatchObject({ code: "auth_required" });
    expect(provider.statuses()[0]).toMatchObject({ state: "needs-auth" });
    expect(await failureOf(provider.clearCredentials("b"))).toMatchObject({ code: "unknown_server" });
    await provider.close();
  });

  it("leaves no session that was opened with what is being forgotten", async () => {
    const world = createCalmWorld();
    const { connector } = forgetful(world);
    const provider = world.provider({ connector, servers: [specOf("a")] });
    await provider.init();
    let letGo = (): void => {};
    const forgetting = new Promise<void>((resolve) => (letGo = resolve));
    const slow = world.provider({
      connector: { ...connector, clearCredentials: () => forgetting },
      servers: [specOf("b")],
    });
    await slow.init();
    const cleared = slow.clearCredentials("b");
    await world.settle();
    expect(await slow.call("mcp_b_echo", { id: "meanwhile" })).toMatchObject({ isError: false });
    letGo();
    await cleared;
    expect([world.server("b").processes, slow.statuses()[0]?.state]).toEqual([0, "idle"]);
    await Promise.all([provider.close(), slow.close()]);
  });

  it("ends the session of a connector that has nothing to forget, and says when forgetting fails", async () => {
    const world = createCalmWorld();
    const plain = world.provider({ servers: [specOf("a")] });
    await plain.init();
    await plain.clearCredentials("a");
    expect(world.server("a").processes).toBe(0);
    const connector = { ...createSimulatedConnector(world), clearCredentials: () => Promise.reject(new Error("disk")) };
    const broken = world.provider({ connector, servers: [specOf("b")] });
    await broken.init();
    expect(await failureOf(broken.clearCredentials("b"))).toMatchObject({ code: "internal_error", serverId: "b" });
    expect(world.server("b").processes).toBe(0);
    await Promise.all([plain.close(), broken.close()]);
  });
});

it.each<[string, (provider: McpProvider, options: object) => Promise<unknown>]>([
  ["addServer", (provider, options) => provider.addServer(specOf("b"), options)],
  ["updateServer", (provider, options) => provider.updateServer(specOf("a", { title: "A" }), options)],
  ["refreshServer", (provider, options) => provider.refreshServer("a", options)],
  ["connection", (provider, options) => provider.connection("a", options)],
  ["subscribeResource", (provider, options) => provider.subscribeResource("a", "note://a", options)],
])("refuses options of %s() that make no sense, by name and before anything happens", async (operation, run) => {
  const world = createCalmWorld();
  const provider = world.provider({ servers: [specOf("a")] });
  await expect(run(provider, { signl: undefined })).rejects.toThrow(`${operation}() has no option "signl"`);
  await expect(run(provider, { signal: 5 })).rejects.toThrow(new TypeError("signal must be an AbortSignal"));
  const wrong = operation === "subscribeResource" ? 'no option "interactive"' : "interactive must be true or false";
  await expect(run(provider, { interactive: "no" })).rejects.toThrow(wrong);
  expect([provider.serverIds(), provider.statuses()[0]?.title, world.server("a").connects.started]).toEqual([
    ["a"],
    undefined,
    0,
  ]);
  await provider.close();
});
