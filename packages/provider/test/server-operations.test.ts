import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

// Everything that can be seen from outside, but for numbers that only count.
function picture(provider: McpProvider): unknown {
  return {
    definitions: provider.tools(),
    groups: provider.groups(),
    ids: provider.serverIds(),
    names: provider.savedNames(),
    revision: provider.revision,
  };
}

async function startWith(world: CalmWorld, ...ids: readonly string[]): Promise<McpProvider> {
  const provider = world.provider({ servers: ids.map((id) => specOf(id)) });
  await provider.init();
  return provider;
}

describe("addServer()", () => {
  it("connects, lists and shows the tools of a new server", async () => {
    const world = createCalmWorld();
    world.server("b", "t");
    const provider = await startWith(world, "a");
    await provider.addServer(specOf("b"));
    expect(provider.serverIds()).toEqual(["a", "b"]);
    expect(await provider.call("mcp_b_t")).toMatchObject({ origin: { serverId: "b" } });
    await provider.close();
  });

  it.each<[string, string, (world: CalmWorld) => unknown]>([
    ["the start", "unreachable", (world) => world.server("b").faults.connect.push("refuse")],
    ["the handshake", "server_exited", (world) => world.server("b").faults.connect.push("crash-after-handshake")],
    ["the listing", "server_error", (world) => world.server("b").faults.list.push("fail")],
    ["credentials", "auth_required", (world) => world.server("b").faults.connect.push("unauthorized")],
  ])("leaves nothing behind when %s fails: %s", async (_what, code, fail) => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const before = picture(provider);
    const changes: unknown[] = [];
    provider.onToolsChanged((change) => changes.push(change));
    fail(world);
    await expect(provider.addServer(specOf("b"))).rejects.toMatchObject({ code, serverId: "b" });
    expect(provider.hasServer("b")).toBe(false);
    expect(picture(provider)).toEqual(before);
    expect(changes).toEqual([]);
    expect(world.server("b").processes).toBe(0);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it("is undone when the caller gives up", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const before = picture(provider);
    const release = world.hold("b");
    const abort = new AbortController();
    const added = provider.addServer(specOf("b"), { signal: abort.signal });
    const failed = failureOf(added);
    await world.settle();
    abort.abort();
    release();
    expect(await failed).toMatchObject({ code: "aborted", serverId: "b" });
    expect(picture(provider)).toEqual(before);
    expect(world.server("b").processes).toBe(0);
    await provider.close();
  });

  it("is refused for an id that is taken, however many race for it", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const adds = await Promise.allSettled(Array.from({ length: 10 }, () => provider.addServer(specOf("b"))));
    expect(adds.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refusals = adds.flatMap((add) => (add.status === "rejected" ? [add.reason as unknown] : []));
    expect(refusals).toEqual(Array.from({ length: 9 }, () => expect.objectContaining({ code: "duplicate_server" })));
    await expect(provider.addServer(specOf("b"))).rejects.toMatchObject({
      code: "duplicate_server",
      serverId: "b",
      details: { field: "id" },
      rawMessage: 'server "b" already exists; choose another id, or give it another spec with updateServer()',
    });
    await expect(provider.addServer(specOf("B"))).rejects.toMatchObject({
      code: "duplicate_server",
      serverId: "B",
      details: { field: "id" },
      rawMessage: 'server "B" collides with server "b": both ids are "b" in tool names; choose another id',
    });
    expect(world.server("b").connects).toEqual({ started: 1, most: 1 });
    await provider.close();
  });

  it("never undoes the registration that has taken its place", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const release = world.hold("b");
    const first = provider.addServer(specOf("b"));
    const refused = failureOf(first);
    await world.settle();
    const removed = provider.removeServer("b");
    const second = provider.addServer(specOf("b"));
    await world.settle();
    release();
    expect(await refused).toMatchObject({ code: "server_removed" });
    await Promise.all([removed, second]);
    expect(provider.hasServer("b")).toBe(true);
    expect(world.server("b")).toMatchObject({ processes: 1, connects: { most: 1 } });
    await provider.close();
  });

  it("only registers a disabled server", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const reported: string[] = [];
    provider.onStatusChanged(({ id, state }) => reported.push(`${id} ${state}`));
    await provider.addServer(specOf("b", { disabled: true }));
    expect(provider.statuses()[1]).toMatchObject({ id: "b", state: "disabled", attempts: 0 });
    expect(reported).toEqual(["b disabled"]);
    await provider.close();
  });
});

describe("removeServer()", () => {
  it("takes the tools away at once, ends calls under way, and resolves when nothing is left", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a", "b");
    world.server("b").faults.call.push("hang");
    const call = provider.call("mcp_b_echo");
    const failed = failureOf(call);
    await world.settle();
    const states: string[] = [];
    provider.onStatusChanged(({ id, state, toolCount }) => states.push(`${id} ${state} ${toolCount}`));
    const removed = provider.removeServer("b");
    expect(provider.has("mcp_b_echo")).toBe(false);
    expect(await removed).toBe(true);
    expect(await failed).toMatchObject({ code: "server_removed", outcome: "unknown", toolName: "echo" });
    expect(states).toEqual(["b removed 0"]);
    expect(world.server("b").processes).toBe(0);
    expect(await provider.removeServer("b")).toBe(false);
    await provider.close();
  });

  it.each<[string, (world: CalmWorld) => unknown]>([
    ["while it connects", () => undefined],
    ["while it lists", async (world) => world.server("b").faults.list.push("hang")],
  ])("ends a server %s", async (_when, prepare) => {
    const world = createCalmWorld();
    await prepare(world);
    const release = world.hold("b");
    const provider = world.provider({ servers: [specOf("a"), specOf("b")] });
    const init = provider.init();
    await world.settle();
    const removed = provider.removeServer("b");
    release();
    await Promise.all([init, removed]);
    expect(provider.serverIds()).toEqual(["a"]);
    expect(world.server("b").processes).toBe(0);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it("ends a server during back-off, with its timer", async () => {
    const world = createCalmWorld();
    world.server("b").faults.connect.push("refuse");
    const provider = await startWith(world, "b");
    expect(world.clock.pending).toBe(1);
    await provider.removeServer("b");
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });
});

describe("disconnectServer()", () => {
  it("ends the session and keeps the tools; the next call connects again", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    await provider.disconnectServer("a");
    expect(world.server("a").processes).toBe(0);
    expect(provider.statuses()[0]).toMatchObject({ state: "idle", toolCount: 1, stale: true });
    expect(await provider.call("mcp_a_echo")).toMatchObject({ isError: false });
    await expect(provider.disconnectServer("nothing")).rejects.toMatchObject({ code: "unknown_server" });
    await provider.close();
  });
});

describe("disconnectServer() and an expired session", () => {
  it("ends a call that was still under way on it", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const server = world.server("a");
    server.faults.call.push("hang");
    const call = failureOf(provider.call("mcp_a_echo", { id: "1" }));
    await world.settle();
    for (const session of server.sessions) session.expire();
    await provider.call("mcp_a_echo", { id: "2" });
    await provider.disconnectServer("a");
    expect(await call).toMatchObject({ code: "server_removed", outcome: "unknown" });
    expect(Array.from(server.ledger)).toEqual([
      ["1", 1],
      ["2", 1],
    ]);
    await provider.close();
  });
});

describe("updateServer()", () => {
  it("does nothing for a spec that says the same", async () => {
    const world = createCalmWorld();
    const spec = specOf("a");
    const provider = world.provider({ servers: [spec] });
    await provider.init();
    const before = picture(provider);
    await provider.updateServer({ ...spec, era: "auto" });
    await provider.updateServer({ ...spec });
    expect(picture(provider)).toEqual(before);
    expect(world.server("a").connects.started).toBe(1);
    await provider.close();
  });

  it("changes what is shown and how it is called without a restart", async () => {
    const world = createCalmWorld();
    world.server("a", "x", "y");
    const spec = specOf("a");
    const provider = world.provider({ servers: [spec] });
    await provider.init();
    await provider.updateServer({
      ...spec,
      deny: ["y"],
      title: "Files",
      concurrency: "serial",
      timeouts: { callMs: 5 },
    });
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_a_x"]);
    expect(provider.groups()[0]?.title).toBe("Files");
    expect(world.server("a")).toMatchObject({ connects: { started: 1 }, listings: 1 });
    world.server("a").faults.call.push("hang");
    const failed = failureOf(provider.call("mcp_a_x"));
    await world.settle();
    world.clock.advance(5);
    expect(await failed).toMatchObject({ code: "call_timeout" });
    await provider.close();
  });

  it("lets new timeouts hold for the next attempt", async () => {
    const world = createCalmWorld();
    const spec = specOf("a", { timeouts: { connectMs: 1000, closeMs: 10 } });
    world.server("a").faults.connect.push("hang");
    const provider = world.provider({ servers: [spec], backoff: { background: false } });
    await provider.updateServer({ ...spec, timeouts: { connectMs: 100_000, closeMs: 10 } });
    const init = provider.init({ timeoutMs: 120_000 });
    await world.settle();
    world.clock.advance(99_999);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "connecting" });
    world.clock.advance(1);
    await init;
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", error: { code: "connect_timeout" } });
    await provider.close();
  });

  it("restarts for another transport; the old tools stay until the new ones are there, and names stay", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const release = world.hold("a");
    const updated = provider.updateServer(specOf("a"));
    await world.settle();
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_a_echo"]);
    expect(provider.statuses()[0]).toMatchObject({ state: "connecting", stale: true });
    release();
    await updated;
    expect(world.server("a").connects).toEqual({ started: 2, most: 1 });
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: false });
    await provider.close();
  });

  it("keeps the new spec when it cannot be connected, and goes on trying", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    world.server("a").faults.connect.push("refuse");
    await expect(provider.updateServer(specOf("a"))).rejects.toMatchObject({ code: "unreachable" });
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", toolCount: 1, stale: true });
    world.clock.advanceToNext();
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: false });
    await provider.close();
  });

  it("switches a server off and on", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, "a");
    const states: string[] = [];
    provider.onStatusChanged(({ state }) => states.push(state));
    await provider.updateServer(specOf("a", { disabled: true }));
    expect(provider.tools()).toEqual([]);
    await world.settle();
    expect(world.server("a").processes).toBe(0);
    await provider.updateServer(specOf("a"));
    expect(provider.tools()).toHaveLength(1);
    expect(states).toEqual(["disabled", "connecting", "ready"]);
    await expect(provider.updateServer(specOf("nothing"))).rejects.toMatchObject({ code: "unknown_server" });
    await provider.close();
  });
});

describe("an operation whose caller has given up already", () => {
  it.each<[string, (provider: McpProvider, signal: AbortSignal) => Promise<unknown>]>([
    ["init()", (provider, signal) => provider.init({ signal })],
    ["refresh()", (provider, signal) => provider.refresh({ signal })],
    ["refreshServer()", (provider, signal) => provider.refreshServer("a", { signal })],
    ["connection()", (provider, signal) => provider.connection("a", { signal })],
    ["subscribeResource()", (provider, signal) => provider.subscribeResource("a", "x:y", { signal })],
    ["addServer()", (provider, signal) => provider.addServer(specOf("b"), { signal })],
  ])("starts nothing: %s", async (_operation, operate) => {
    const world = createCalmWorld();
    world.server("a", "t");
    const provider = world.provider({ servers: [specOf("a")] });
    expect(await failureOf(operate(provider, AbortSignal.abort()))).toMatchObject({ code: "aborted" });
    await world.settle();
    for (const { connects } of world.servers.values()) expect(connects.started).toBe(0);
    expect(provider.statuses()).toMatchObject([{ id: "a", state: "idle" }]);
    await provider.close();
  });
});
