import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";
import { firstDate } from "./simulation/virtual-clock.ts";

const http = (bearerToken: string, headers: Record<string, string> = {}): ServerSpec => ({
  id: "s",
  type: "http",
  url: "https://example.com/mcp",
  bearerToken,
  headers,
});

describe("updateServer()", () => {
  it("waits for an update with the same spec that is under way, and fails with it", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")], backoff: { background: false } });
    await provider.init();
    const changed = { ...specOf("s"), type: "custom", open: () => 1 } as const;
    const release = world.hold();
    const first = provider.updateServer(changed);
    let done = false;
    const second = provider.updateServer(changed).then(() => (done = true));
    const third = provider.updateServer({ ...changed, title: "S" }).then(() => (done = true));
    await world.settle();
    expect(done).toBe(false);
    release();
    await Promise.all([first, second, third]);
    expect(server.connects).toMatchObject({ started: 2, most: 1 });
    const other = { ...specOf("s"), type: "custom", open: () => 2 } as const;
    server.faults.connect.push("refuse");
    const failures = await Promise.all([
      failureOf(provider.updateServer(other)),
      failureOf(provider.updateServer(other)),
    ]);
    expect(failures).toMatchObject([{ code: "unreachable" }, { code: "unreachable" }]);
    await provider.close();
  });

  it("loses no call that was about to go out when the credentials changed", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [http("old")] });
    await provider.init();
    await provider.disconnectServer("s");
    const updates: Promise<void>[] = [];
    // Told in the step that lets the call go, before the call itself has its turn.
    const subscription = provider.onStatusChanged(({ state }) => {
      if (state !== "ready") return;
      subscription();
      updates.push(provider.updateServer(http("new")));
    });
    expect(await provider.call("mcp_s_a", { id: "c" })).toMatchObject({ isError: false });
    await Promise.all(updates);
    expect([updates.length, server.ledger.get("c")]).toEqual([1, 1]);
    await provider.close();
  });

  it.each<[string, ServerSpec]>([
    ["token", http("new")],
    ["header", http("old", { "x-tenant": "b" })],
  ])(
    "renews the session for another %s without cutting what is under way, and keeps what was selected",
    async (_, next) => {
      const world = createCalmWorld();
      const server = world.server("s", "a");
      const provider = world.provider({ servers: [http("old")] });
      await provider.init();
      const [selected] = provider.tools();
      const release = world.hold();
      const old = provider.call("mcp_s_a", { id: "old" });
      const update = provider.updateServer(next);
      const late = provider.call("mcp_s_a", { id: "late" }, { ...(selected && { selected }) });
      await world.settle();
      // The old one is still there, for the call that is under way on it.
      expect([server.connects.started, server.processes, server.expired]).toEqual([2, 1, 1]);
      release();
      expect((await Promise.all([old, late])).map(({ isError }) => isError)).toEqual([false, false]);
      await update;
      await world.settle();
      expect(server.sessions.size).toBe(1);
      expect([server.ledger.get("old"), server.ledger.get("late")]).toEqual([1, 1]);
      expect(provider.tools()[0]).toBe(selected);
      await provider.close();
      expect([server.processes, world.clock.pending]).toEqual([0, 0]);
    },
  );

  it("tells when the new credentials are refused, and keeps the tools", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [http("old")] });
    await provider.init();
    server.faults.connect.push("unauthorized");
    expect(await failureOf(provider.updateServer(http("wrong")))).toMatchObject({ code: "auth_required" });
    expect(provider.statuses()[0]).toMatchObject({ state: "needs-auth", stale: true, toolCount: 1 });
    await provider.updateServer(http("right"));
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: false });
    await provider.close();
  });
});

describe("a server that comes back while its tools go", () => {
  it("has never two sessions at once when a listener adds it again", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    let added: Promise<void> | undefined;
    provider.onToolsChanged(({ removed }) => {
      if (removed.length > 0) added ??= provider.addServer(specOf("s"));
    });
    await provider.removeServer("s");
    await added;
    expect(server.connects).toMatchObject({ started: 2, most: 1 });
    expect(provider.tools()).toHaveLength(1);
    await provider.close();
  });
});

describe("idleMs", () => {
  it("does not end a session under a request that is no tool call; such a request counts as use", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    let answer = (): void => {};
    const provider = world.provider({ servers: [specOf("s")], idleMs: 1000 });
    await provider.init();
    const connection = await provider.connection("s");
    server.onRequest = () => new Promise((resolve) => (answer = () => resolve({ pong: true })));
    const request = connection.request("ping");
    world.clock.advance(5000);
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    answer();
    expect(await request).toEqual({ pong: true });
    world.clock.advance(900);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    world.clock.advance(2000);
    expect(provider.statuses()[0]).toMatchObject({ state: "idle" });
    await provider.close();
  });
});

describe("the times of a status", () => {
  it("are dates in milliseconds since 1970", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    world.clock.advance(5000);
    const provider = world.provider({ servers: [specOf("s")], backoff: { baseMs: 1000 } });
    await provider.init();
    world.clock.advance(60_000);
    expect(provider.statuses()[0]).toMatchObject({ connectedAt: firstDate + 5000 });
    expect(provider.statuses()[0]).toMatchObject({ since: firstDate + 5000, listedAt: firstDate + 5000 });
    for (const session of server.sessions) session.crash();
    expect(provider.statuses()[0]).toMatchObject({ state: "down", retryAt: firstDate + 65_000 + 500 });
    expect(provider.statuses()[0]).toMatchObject({ since: firstDate + 65_000, listedAt: firstDate + 5000 });
    world.clock.advance(1000);
    await provider.refresh();
    expect(provider.statuses()[0]).toMatchObject({ since: firstDate + 66_000, listedAt: firstDate + 66_000 });
    for (const session of server.sessions) session.crash();
    expect(provider.statuses()[0]).not.toHaveProperty("connectedAt");
    await provider.close();
  });
});
