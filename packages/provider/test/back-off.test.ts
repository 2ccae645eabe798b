import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { specOf, type ConnectFault } from "./simulation/simulated-server.ts";

function start(world: CalmWorld, faults: readonly ConnectFault[], options: { background?: boolean } = {}): McpProvider {
  world.server("s", "a").faults.connect.push(...faults);
  // Chance is a half: so are the waits, of their ceilings.
  return world.provider({
    servers: [specOf("s")],
    backoff: { baseMs: 1000, maxMs: 8000, ...options },
  });
}

function refusals(count: number): readonly ConnectFault[] {
  return Array.from({ length: count }, () => "refuse");
}

const crash = async (world: CalmWorld): Promise<void> => {
  for (const session of world.server("s").sessions) session.crash();
  await world.settle();
};

describe("a server that cannot be reached", () => {
  it("does not fail init, and appears by itself when it gets well", async () => {
    const world = createCalmWorld();
    const provider = start(world, refusals(2));
    await provider.init();
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", stage: "connect", error: { code: "unreachable" } });
    world.clock.advance(500);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", failures: 2 });
    world.clock.advance(1000);
    await world.settle();
    expect(provider.tools()).toHaveLength(1);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it("is tried again after waits that double up to a cap, each shortened at random", async () => {
    const world = createCalmWorld();
    const provider = start(world, refusals(7));
    await provider.init();
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      waits.push((world.clock.nextAt ?? 0) - world.clock.now());
      world.clock.advanceToNext();
      await world.settle();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 4000, 4000]);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("is tried again by itself when it could not list its tools, whatever the reason", async () => {
    const world = createCalmWorld();
    world.server("s", "a").faults.list.push("fail");
    const provider = start(world, []);
    await provider.init();
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", stage: "list", error: { retryable: false } });
    world.clock.advance(500);
    await world.settle();
    expect(provider.tools()).toHaveLength(1);
    await provider.close();
  });

  it("is left alone for as long as it asks, by calls too", async () => {
    const world = createCalmWorld();
    const provider = start(world, []);
    await provider.init();
    world.server("s").faults.connect.push("busy");
    await crash(world);
    const failed = await failureOf(provider.call("mcp_s_a"));
    expect(failed).toMatchObject({ code: "http_error" });
    // Whoever judges the server by its failures can tell the failure from its echo.
    expect(failed).not.toHaveProperty("details.backOff");
    const refused = await failureOf(provider.call("mcp_s_a"));
    expect(refused).toMatchObject({
      code: "http_error",
      outcome: "not-sent",
      retryable: true,
      details: { retryAfterMs: 5000, backOff: true },
    });
    expect(world.server("s").connects.started).toBe(2);
    world.clock.advance(5000);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    await provider.close();
  });

  it("is left alone where background retries are off, until somebody needs it", async () => {
    const world = createCalmWorld();
    const provider = start(world, refusals(1), { background: false });
    await provider.init();
    expect(world.clock.pending).toBe(0);
    await provider.refresh();
    expect(provider.tools()).toHaveLength(1);
    await provider.close();
  });

  it("is not tried again by itself for want of credentials", async () => {
    const world = createCalmWorld();
    const provider = start(world, ["unauthorized"]);
    await provider.init();
    expect(provider.statuses()[0]).toMatchObject({
      state: "needs-auth",
      stage: "connect",
      error: { code: "auth_required" },
    });
    expect(world.clock.pending).toBe(0);
    await provider.refreshServer("s");
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", toolCount: 1 });
    await provider.close();
  });

  it("fails init where the spec requires it; the others are there all the same", async () => {
    const world = createCalmWorld();
    world.server("s", "a").faults.connect.push("refuse");
    world.server("t", "b");
    const provider = world.provider({ servers: [specOf("s", { required: true }), specOf("t", { required: true })] });
    await expect(provider.init()).rejects.toMatchObject({
      code: "refresh_failed",
      rawMessage: "failed to start required MCP servers: s: [unreachable] simulated",
    });
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_t_b"]);
    await provider.close();
  });
});

describe("a server that crashes", () => {
  it("is back with the next call, five times in a row without waiting", async () => {
    const world = createCalmWorld();
    const provider = start(world, []);
    await provider.init();
    for (let turn = 0; turn < 20; turn += 1) {
      await crash(world);
      expect(await provider.call("mcp_s_a")).toMatchObject({ isError: false });
    }
    expect(world.server("s").connects).toEqual({ started: 21, most: 1 });
    await provider.close();
  });

  it("is started once per back-off when it crashes before any call works, however many calls there are", async () => {
    const world = createCalmWorld();
    const provider = start(world, []);
    await provider.init();
    const server = world.server("s");
    await crash(world);
    for (let turn = 0; turn < 100; turn += 1) {
      server.faults.call.push("crash");
      await provider.call("mcp_s_a").catch(() => undefined);
    }
    expect(server.connects.started).toBe(6);
    const refused: unknown = await provider.call("mcp_s_a").catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: "server_exited", outcome: "not-sent", details: { retryAfterMs: 4000 } });
    expect(provider.statuses()[0]).toMatchObject({ state: "down", failures: 6, toolCount: 1, stale: true });

    world.clock.advance(4000);
    server.faults.call.length = 0;
    expect(await provider.call("mcp_s_a")).toMatchObject({ isError: false });
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", failures: 0 });
    await provider.close();
  });

  it("has its crashes forgotten when a session lasts", async () => {
    const world = createCalmWorld();
    const provider = start(world, []);
    await provider.init();
    for (let turn = 0; turn < 20; turn += 1) {
      world.clock.advance(30_000);
      await crash(world);
      await provider.refresh();
    }
    expect(provider.statuses()[0]).toMatchObject({ failures: 1 });
    await provider.close();
  });

  it("sets no timer while it is down: nobody needs it", async () => {
    const world = createCalmWorld();
    const provider = start(world, []);
    await provider.init();
    await crash(world);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });
});

describe("a session that is not used", () => {
  it("is closed after idleMs, and the next call gets another one", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")], idleMs: 1000 });
    await provider.init();
    world.clock.advance(900);
    await provider.call("mcp_s_a");
    world.clock.advance(900);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    world.clock.advance(100);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "idle", toolCount: 1, stale: true });
    expect(server.processes).toBe(0);
    expect(world.clock.pending).toBe(0);
    expect(await provider.call("mcp_s_a")).toMatchObject({ isError: false });
    await provider.close();
  });

  it("is kept while a call is under way, however long", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")], idleMs: 1000 });
    await provider.init();
    server.faults.call.push("hang");
    const call = failureOf(provider.call("mcp_s_a", {}, { timeoutMs: 10_000 }));
    await world.settle();
    for (let second = 0; second < 10; second += 1) {
      world.clock.advance(1000);
      await world.settle();
    }
    expect(await call).toMatchObject({ code: "call_timeout" });
    expect(server.connects.started).toBe(1);
    await provider.close();
  });
});

describe("an idle provider", () => {
  it("has no timer, and does nothing, with 50 servers", async () => {
    const world = createCalmWorld();
    const ids = Array.from({ length: 50 }, (_, index) => `s${index}`);
    const provider = world.provider({ servers: ids.map((id) => specOf(id)) });
    await provider.init();
    expect(world.clock.pending).toBe(0);
    world.clock.advance(24 * 3600 * 1000);
    await world.settle();
    for (const id of ids) expect(world.server(id)).toMatchObject({ connects: { started: 1 }, listings: 1 });
    await provider.close();
  });
});

describe("a status", () => {
  it("keeps its last error while the server is tried again, until something works", async () => {
    const world = createCalmWorld();
    const provider = start(world, refusals(2));
    await provider.init();
    const release = world.hold();
    world.clock.advance(500);
    await world.settle();
    const failed = { stage: "connect", error: { code: "unreachable" } };
    expect(provider.statuses()[0]).toMatchObject({ state: "connecting", ...failed });
    release();
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", ...failed });
    await provider.disconnectServer("s");
    expect(provider.statuses()[0]).toMatchObject({ state: "idle", ...failed });
    const again = world.hold();
    const refreshed = provider.refresh();
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "connecting", ...failed });
    again();
    await refreshed;
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    expect(provider.statuses()[0]).not.toHaveProperty("error");
    await provider.close();
  });
});

describe("a program that ends at once with a code", () => {
  it("is not started by itself after it ended in the same way twice, and idle costs nothing; a call and a refresh try it", async () => {
    const world = createCalmWorld();
    const provider = start(world, ["no-key", "no-key", "no-key", "no-key"]);
    const { connects } = world.server("s");
    await provider.init();
    expect(world.clock.pending).toBe(1);
    world.clock.advance(500);
    await world.settle();
    expect([connects.started, world.clock.pending]).toEqual([2, 0]);
    expect(provider.statuses()[0]).toMatchObject({ state: "failed", error: { code: "server_exited" } });
    await failureOf(provider.refresh());
    expect([connects.started, world.clock.pending]).toEqual([3, 0]);
    await failureOf(provider.connection("s"));
    expect([connects.started, world.clock.pending]).toEqual([4, 0]);
    await provider.updateServer({ ...specOf("s"), type: "custom", open: () => 1 });
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    await provider.close();
  });

  it("is tried again by itself while it ends in other ways", async () => {
    const world = createCalmWorld();
    const provider = start(world, ["no-key", "refuse", "no-key"]);
    await provider.init();
    for (let turn = 0; turn < 3; turn += 1) {
      world.clock.advanceToNext();
      await world.settle();
    }
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    await provider.close();
  });
});
