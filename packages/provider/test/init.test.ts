import { HostsideError, type Connector } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

describe("init()", () => {
  it("asks all servers at once, and one that fails costs nobody else: it is seen with its error and no tools", async () => {
    const world = createCalmWorld();
    const ids = ["broken", "good", "locked"];
    for (const id of ids) world.server(id, "a");
    world.server("broken").faults.list.push("fail");
    world.server("locked").faults.connect.push("unauthorized");
    const release = world.hold();
    const provider = world.provider({ servers: ids.map((id) => specOf(id)) });
    const init = provider.init();
    await world.settle();
    expect(ids.map((id) => world.server(id).connects.started)).toEqual([1, 1, 1]);
    release();
    await init;
    expect(provider.statuses().map(({ id, state, error }) => [id, state, error?.code])).toEqual([
      ["broken", "failed", "server_error"],
      ["good", "ready", undefined],
      ["locked", "needs-auth", "auth_required"],
    ]);
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_good_a"]);
    expect(provider.groups().map(({ id }) => id)).toEqual(["mcp:good"]);
    await provider.close();
  });

  it("lists once, however often the tools are read; a listing that failed is not kept for one", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    server.faults.list.push("fail");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    expect([server.listings, provider.tools().length]).toEqual([1, 0]);
    await provider.refresh();
    for (let read = 0; read < 3; read += 1) expect(provider.tools()).toHaveLength(1);
    await provider.init();
    await provider.call("mcp_s_a");
    expect(server.listings).toBe(2);
    await provider.close();
  });

  it("resolves after ten seconds with whoever is there; who is late arrives by event", async () => {
    const world = createCalmWorld();
    for (const id of ["good", "late"]) world.server(id, "a");
    const provider = world.provider({ servers: ["good", "late"].map((id) => specOf(id)) });
    const added: string[] = [];
    provider.onToolsChanged((change) => added.push(...change.added));
    const release = world.hold("late");
    let done = false;
    const init = provider.init().then(() => (done = true));
    await world.settle();
    world.clock.advance(9999);
    await world.settle();
    expect(done).toBe(false);
    world.clock.advance(1);
    await init;
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_good_a"]);
    expect(provider.statuses().map(({ id, state }) => [id, state])).toEqual([
      ["good", "ready"],
      ["late", "connecting"],
    ]);
    release();
    await world.settle();
    expect(added).toEqual(["mcp_good_a", "mcp_late_a"]);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("takes its own time, and waits for required servers as long as their own timeouts allow", async () => {
    const world = createCalmWorld();
    world.server("needed").faults.connect.push("hang");
    world.server("other").faults.connect.push("hang");
    const servers = [specOf("needed", { required: true, timeouts: { connectMs: 20_000 } }), specOf("other")];
    const provider = world.provider({ servers, backoff: { background: false } });
    const failed = failureOf(provider.init({ timeoutMs: 50 }));
    await world.settle();
    world.clock.advance(50);
    await world.settle();
    world.clock.advance(19_950);
    expect(await failed).toMatchObject({
      code: "refresh_failed",
      details: { failures: [{ serverId: "needed", code: "connect_timeout" }] },
    });
    expect(provider.statuses().map(({ state }) => state)).toEqual(["failed", "connecting"]);
    await provider.close();
  });

  it("puts no more than one listener on a caller's signal, however many servers there are", async () => {
    const world = createCalmWorld();
    const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const provider = world.provider({ servers: ids.map((id) => specOf(id)) });
    await provider.refresh({ signal });
    expect(added.mock.calls.length).toBeLessThan(3);
    await provider.close();
  });

  it("leaves alone what failed when it is to start only what is new", async () => {
    const world = createCalmWorld();
    world.server("bad").faults.connect.push("refuse", "refuse");
    const provider = world.provider({ servers: [specOf("bad")], backoff: { background: false } });
    await provider.init();
    const before = provider.statuses().map(({ attempts }) => attempts);
    await provider.init({ retryFailed: false });
    expect(provider.statuses().map(({ attempts }) => attempts)).toEqual(before);
    await provider.init();
    expect(provider.statuses()[0]?.attempts).toBeGreaterThan(before[0] ?? 0);
    await expect(provider.init({ retryFailed: 1 as never })).rejects.toThrow("retryFailed must be true or false");
    await provider.close();
  });

  it("starts what is new, and waits for it", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init({ retryFailed: false });
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    await provider.close();
  });

  it.each([0, -1, 1e12, Number.NaN, Number.POSITIVE_INFINITY, "5"])("refuses %j as its time", async (timeoutMs) => {
    const provider = createCalmWorld().provider();
    await expect(provider.init({ timeoutMs: timeoutMs as number })).rejects.toThrow(
      "timeoutMs must be a number above 0",
    );
    await expect(provider.init({ timeout: 1 } as object)).rejects.toThrow('init() has no option "timeout"');
    await provider.close();
  });

  it("shows a failure when it is told of it, though the attempt is still being cleaned up", async () => {
    const world = createCalmWorld();
    const failure = new HostsideError("too slow", { code: "connect_timeout", serverId: "s" });
    const connector: Connector = {
      connect(_spec, hooks, signal) {
        hooks.onFailed?.(failure);
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => world.clock.schedule(4000, () => reject(failure))),
        );
      },
    };
    const provider = world.provider({ connector, servers: [specOf("s")], backoff: { background: false } });
    await provider.init();
    expect(provider.statuses()).toMatchObject([{ state: "failed", error: { message: "[connect_timeout] too slow" } }]);
    world.clock.advance(4000);
    await provider.close();
  });
});
