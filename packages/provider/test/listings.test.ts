import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { changeTools, specOf, type SimulatedServer } from "./simulation/simulated-server.ts";

const names = (provider: McpProvider): readonly string[] => provider.tools().map(({ name }) => name);

describe("a listing that ends early", () => {
  it("leaves the last whole one in place, stale, and a strict refresh fails with it", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a", "b");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const before = provider.tools();
    server.faults.list.push("truncate", "truncate");
    expect(await failureOf(provider.refresh())).toMatchObject({
      code: "refresh_failed",
      details: { failures: [{ code: "listing_truncated", serverId: "s" }] },
    });
    expect(await failureOf(provider.refreshServer("s"))).toMatchObject({
      code: "listing_truncated",
      rawMessage:
        'the list of tools of "s" stops after 1 tools (page-limit), and is not the whole one; the last whole one is kept',
    });
    expect(provider.tools()).toBe(before);
    expect(provider.statuses()[0]).toMatchObject({
      state: "ready",
      stage: "list",
      stale: true,
      error: { code: "listing_truncated" },
    });
    // The tools that are kept can be called.
    expect(await provider.call("mcp_s_b")).toMatchObject({ isError: false });
    await provider.refresh();
    expect(provider.statuses()[0]).toMatchObject({ stale: false });
    await provider.close();
  });

  it("does so after a reconnect, too, and does not cost the session", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a", "b");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    for (const session of server.sessions) session.crash();
    server.faults.list.push("truncate");
    expect(await provider.call("mcp_s_b")).toMatchObject({ isError: false });
    expect(server.connects.started).toBe(2);
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", stale: true });
    await provider.close();
  });

  it("is shown when there is no whole one, and replaced by the next, whole or not", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a", "b");
    server.faults.list.push("truncate", "truncate");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    expect(names(provider)).toEqual(["mcp_s_a"]);
    changeTools(server, (tools, version) => {
      tools.clear();
      for (const tool of ["c", "d"]) tools.set(tool, version);
    });
    await provider.refresh();
    expect(names(provider)).toEqual(["mcp_s_c"]);
    expect(provider.statuses()[0]).toMatchObject({ degraded: "page-limit", stale: false });
    await provider.refresh();
    expect(names(provider)).toEqual(["mcp_s_c", "mcp_s_d"]);
    await provider.close();
  });
});

describe("a listing that fails", () => {
  it("is made up for by a later call, with no refresh in between", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    changeTools(server, (tools, version) => tools.set("b", version));
    for (const session of server.sessions) await session.notify(1);
    server.faults.list.push("fail");
    await provider.call("mcp_s_a");
    expect(names(provider)).toEqual(["mcp_s_a"]);
    // Not at once: a server whose listing fails is not listed for each call.
    await provider.call("mcp_s_a");
    expect(server.listings).toBe(2);
    world.clock.advance(1000);
    await Promise.all(Array.from({ length: 20 }, () => provider.call("mcp_s_a")));
    expect(server.listings).toBe(3);
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    await provider.close();
  });
});

describe('refresh: "debounced"', () => {
  async function startRestless(): Promise<{ world: CalmWorld; server: SimulatedServer; provider: McpProvider }> {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")], refresh: "debounced" });
    await provider.init();
    server.restless = true;
    for (const session of server.sessions) await session.notify(1);
    return { world, server, provider };
  }

  it("lists ever more seldom a server that announces a change in each listing", async () => {
    const { world, server, provider } = await startRestless();
    const perTenMinutes: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const [from, until] = [server.listings, world.clock.now() + 600_000];
      while (world.clock.now() < until && world.clock.advanceToNext()) await world.settle();
      perTenMinutes.push(server.listings - from);
    }
    expect(perTenMinutes[0]).toBeLessThan(60);
    expect(perTenMinutes.slice(1).every((count) => count > 0 && count <= 22)).toBe(true);
    await provider.close();
  });

  it("shows by itself what such a server has when it has come to rest, without another word of it", async () => {
    const { world, server, provider } = await startRestless();
    for (let turn = 0; turn < 20 && world.clock.advanceToNext(); turn += 1) await world.settle();
    changeTools(server, (tools, version) => tools.set("b", version));
    server.restless = false;
    for (let turn = 0; turn < 4 && world.clock.advanceToNext(); turn += 1) await world.settle();
    expect(names(provider)).toEqual(["mcp_s_a", "mcp_s_b"]);
    expect(provider.statuses()[0]).toMatchObject({ stale: false });
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });
});
