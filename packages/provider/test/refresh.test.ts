import type { Diagnostic } from "@hostside/core";
import type { McpProvider, ProviderOptions } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { changeTools, specOf, type SimulatedServer } from "./simulation/simulated-server.ts";

async function start(
  world: CalmWorld,
  options: Partial<ProviderOptions> = {},
): Promise<[McpProvider, SimulatedServer]> {
  const server = world.server("s", "a");
  const provider = world.provider({ servers: [specOf("s")], ...options });
  await provider.init();
  return [provider, server];
}

function addTool(server: SimulatedServer, name: string): void {
  changeTools(server, (tools, version) => tools.set(name, version));
}

async function notify(server: SimulatedServer, times = 1): Promise<void> {
  for (const session of server.sessions) await session.notify(times);
}

const names = (provider: McpProvider): readonly string[] => provider.tools().map(({ name }) => name);

describe('refresh: "lazy"', () => {
  it("only takes note of a notification; the next call lists, once for all racing calls", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    addTool(server, "b");
    await notify(server);
    await world.settle();
    expect(server.listings).toBe(1);
    expect(world.clock.pending).toBe(0);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: true });
    await Promise.all(Array.from({ length: 20 }, () => provider.call("mcp_s_a")));
    expect(server.listings).toBe(2);
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: false });
    await provider.close();
  });

  it("lists exactly once more when a notification comes during a listing", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    const release = world.hold();
    const refresh = provider.refresh();
    await world.settle();
    addTool(server, "b");
    const notified = notify(server);
    release();
    await notified;
    await refresh;
    expect(server.listings).toBe(3);
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    await provider.close();
  });

  it("lists at most twice for a storm of 10,000 notifications", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    await notify(server, 10_000);
    const release = world.hold();
    const refresh = provider.refresh();
    await world.settle();
    release();
    await notify(server, 10_000);
    await refresh;
    await world.settle();
    expect(server.listings).toBeLessThanOrEqual(3);
    await provider.close();
  });

  it("lets nobody wait for a server that announces a change during every listing", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    server.restless = true;
    await provider.refresh();
    expect(server.listings).toBe(3);
    expect(await provider.call("mcp_s_a")).toMatchObject({ isError: false });
    expect(server.listings).toBe(5);
    expect(provider.statuses()[0]).toMatchObject({ stale: true });
    await provider.close();
  });
});

describe('refresh: "debounced"', () => {
  it("lists by itself when the server has been quiet for 300 ms", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world, { refresh: "debounced" });
    addTool(server, "b");
    await notify(server);
    world.clock.advance(200);
    await notify(server, 1000);
    world.clock.advance(299);
    await world.settle();
    expect(server.listings).toBe(1);
    world.clock.advance(1);
    await world.settle();
    expect(server.listings).toBe(2);
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it("lists after 2 s at the latest, however restless the server is", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world, { refresh: "debounced" });
    for (let turn = 0; turn < 10; turn += 1) {
      await notify(server);
      world.clock.advance(200);
      await world.settle();
    }
    expect(server.listings).toBe(2);
    await provider.close();
  });

  it("tries a failed listing again by itself, if the failure can pass", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world, { refresh: "debounced" });
    addTool(server, "b");
    server.faults.list.push("hang");
    await notify(server);
    for (let turn = 0; turn < 5; turn += 1) {
      world.clock.advanceToNext();
      await world.settle();
    }
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    await provider.close();
  });
});

describe('refresh: "manual"', () => {
  it("lists only when asked to; a call goes out with the tools as they are known", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world, { refresh: "manual" });
    addTool(server, "b");
    await notify(server);
    await provider.call("mcp_s_a");
    expect(server.listings).toBe(1);
    expect(provider.statuses()[0]).toMatchObject({ stale: true });
    await provider.refresh();
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    await provider.close();
  });

  it("is stale until a listing that started after the notification is in", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world, { refresh: "manual" });
    const release = world.hold();
    const first = provider.refresh();
    await world.settle();
    const second = provider.refresh();
    const notified = notify(server);
    server.faults.list.push("truncate", "hang");
    release();
    await notified;
    expect(await failureOf(first)).toMatchObject({ code: "refresh_failed" });
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: true });
    world.clock.advanceToNext();
    expect(await failureOf(second)).toMatchObject({ code: "refresh_failed" });
    await provider.close();
  });

  it("lists after a reconnect all the same", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world, { refresh: "manual" });
    addTool(server, "b");
    for (const session of server.sessions) session.crash();
    await provider.call("mcp_s_a");
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    await provider.close();
  });
});

describe("refresh()", () => {
  it("shares one listing among all who ask in one turn, and is not answered by one that was under way", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    await Promise.all(Array.from({ length: 20 }, () => provider.refresh()));
    expect(server.listings).toBe(2);
    const release = world.hold();
    const first = provider.refresh();
    await world.settle();
    const later = [provider.refreshServer("s"), provider.refresh(), provider.refreshServer("s")];
    await world.settle();
    release();
    await Promise.all([first, ...later]);
    expect(server.listings).toBe(4);
    await provider.close();
  });

  it("throws one error that lists every server that failed, in id order, after publishing the others", async () => {
    const world = createCalmWorld();
    for (const id of ["c", "a", "b"]) world.server(id, "t");
    const provider = world.provider({ servers: [specOf("c"), specOf("b"), specOf("a")] });
    await provider.init();
    addTool(world.server("b"), "new");
    world.server("c").faults.list.push("fail");
    world.server("a").faults.list.push("fail");
    const error: unknown = await provider.refresh().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "refresh_failed",
      rawMessage: "failed to refresh MCP servers: a: [server_error] simulated; c: [server_error] simulated",
      details: { failures: [{ serverId: "a" }, { serverId: "c" }] },
    });
    expect(names(provider)).toContain("mcp_b_new");
    await provider.close();
  });

  it("is retryable when any of the failures is", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("a"), specOf("b")] });
    world.server("a").faults.connect.push("unauthorized", "unauthorized");
    expect(await failureOf(provider.refresh())).toMatchObject({ code: "refresh_failed", retryable: false });
    world.server("b").faults.connect.push("refuse");
    for (const session of world.server("b").sessions) session.crash();
    expect(await failureOf(provider.refresh())).toMatchObject({
      retryable: true,
      details: { failures: [{ retryable: false }, { retryable: true }] },
    });
    await provider.close();
  });

  it("keeps the last good tools of a server that could not be listed, marked stale, and they can be called", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    server.faults.list.push("fail", "fail");
    await expect(provider.refresh()).rejects.toMatchObject({ code: "refresh_failed" });
    expect(names(provider)).toEqual(["mcp_s_a"]);
    expect(provider.statuses()[0]).toMatchObject({
      state: "ready",
      stale: true,
      stage: "list",
      error: { code: "server_error" },
    });
    expect(await provider.call("mcp_s_a")).toMatchObject({ isError: false });
    await provider.refresh().catch(() => undefined);
    await provider.refresh();
    expect(provider.statuses()[0]).toMatchObject({ stale: false });
    expect(provider.statuses()[0]).not.toHaveProperty("error");
    await provider.close();
  });

  it("keeps what was read of a listing that is cut off, and says so", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    server.faults.list.push("truncate");
    const provider = world.provider({ servers: [specOf("s")] });
    const diagnostics: Diagnostic[] = [];
    provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    await provider.init();
    expect(names(provider)).toEqual(["mcp_s_a"]);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", degraded: "page-limit" });
    expect(diagnostics).toEqual([
      { kind: "listing-truncated", serverId: "s", message: "the list of tools stops after 1: page-limit" },
    ]);
    await provider.refresh();
    expect(provider.statuses()[0]).not.toHaveProperty("degraded");
    await provider.close();
  });

  it("tells why tools were left out, once per reason, and not again at the next listing", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    server.dropped.push({ name: "a", reason: "a second tool of this name" }, { reason: "no name" });
    const provider = world.provider({ servers: [specOf("s")] });
    const diagnostics: Diagnostic[] = [];
    provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    await provider.init();
    await provider.refresh();
    expect(diagnostics).toEqual([
      {
        kind: "tool-dropped",
        serverId: "s",
        toolName: "a",
        message: "a tool was left out: a second tool of this name",
      },
      { kind: "tool-dropped", serverId: "s", message: "a tool was left out: no name" },
    ]);
    expect(provider.statuses()[0]).toMatchObject({ droppedTools: 2 });
    await provider.close();
  });

  it("tells which names in allow and deny match no tool, when they begin to", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "read", "write");
    const spec = { ...specOf("s"), allow: ["read", "raed"], deny: ["Write"] };
    const provider = world.provider({ servers: [spec] });
    const reported: unknown[] = [];
    provider.onDiagnostic(({ kind, toolName, message }) => reported.push([kind, toolName, message]));
    await provider.init();
    await provider.refresh();
    expect(reported.splice(0)).toEqual([
      ["unmatched-filter", "raed", 'allow of server "s" has "raed", and the server lists no such tool'],
      ["unmatched-filter", "Write", 'deny of server "s" has "Write", and the server lists no such tool'],
    ]);
    await provider.updateServer({ ...spec, allow: ["read"], deny: [] });
    expect(reported).toEqual([]);
    await provider.updateServer({ ...spec, allow: ["reed"], deny: [] });
    expect(reported.splice(0)).toMatchObject([["unmatched-filter", "reed", expect.any(String)]]);
    addTool(server, "reed");
    await provider.refresh();
    expect(reported).toEqual([]);
    await provider.close();
  });

  it("holds up no call, as long as the tools on show are not known to be old", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    server.faults.list.push("hang");
    const refresh = failureOf(provider.refresh());
    await world.settle();
    expect(await provider.call("mcp_s_a")).toMatchObject({ isError: false });
    await notify(server);
    const call = provider.call("mcp_s_a");
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ waiting: 1 });
    world.clock.advance(30_000);
    expect(await refresh).toMatchObject({ code: "refresh_failed" });
    expect(await call).toMatchObject({ isError: false });
    await provider.close();
  });

  it("can be given up with aborted, while the listing goes on for others", async () => {
    const world = createCalmWorld();
    const [provider, server] = await start(world);
    const release = world.hold();
    const abort = new AbortController();
    const given = provider.refresh({ signal: abort.signal });
    const kept = provider.refresh();
    const refused = failureOf(given);
    await world.settle();
    abort.abort();
    expect(await refused).toMatchObject({ code: "aborted" });
    release();
    await kept;
    expect(server.listings).toBe(2);
    await provider.close();
  });

  it("rejects for a server that does not exist or is disabled", async () => {
    const world = createCalmWorld();
    const [provider] = await start(world, { servers: [specOf("s"), specOf("off", { disabled: true })] });
    await expect(provider.refreshServer("nothing")).rejects.toMatchObject({
      code: "unknown_server",
      serverId: "nothing",
    });
    await expect(provider.refreshServer("off")).rejects.toMatchObject({ code: "server_disabled", serverId: "off" });
    await provider.refresh();
    expect(world.server("off").connects.started).toBe(0);
    await provider.close();
  });
});
