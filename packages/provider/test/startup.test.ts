import type { Connector } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { specOf } from "./simulation/simulated-server.ts";

const all = [specOf("call", { startup: "call" }), specOf("init"), specOf("late", { startup: "background" })];

describe("startup", () => {
  it("says what init() starts, and what it waits for", async () => {
    const world = createCalmWorld();
    const release = world.hold("late");
    const provider = world.provider({ servers: all });
    const added: unknown[] = [];
    provider.onToolsChanged((change) => added.push(change.added));
    await provider.init();
    expect(added).toEqual([["mcp_init_echo"]]);
    expect(provider.statuses().map(({ id, state }) => [id, state])).toEqual([
      ["call", "idle"],
      ["init", "ready"],
      ["late", "connecting"],
    ]);
    release();
    await world.settle();
    expect(added).toEqual([["mcp_init_echo"], ["mcp_late_echo"]]);
    // As a toolbox does for a call with `wait: "servers"`.
    await provider.init({ retryFailed: false });
    await provider.call("mcp_call_echo");
    expect(world.server("call").connects.started).toBe(1);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("holds for a set that is applied, and not for a refresh, which asks for all", async () => {
    const world = createCalmWorld();
    const release = world.hold("late");
    const provider = world.provider();
    expect(await provider.applyServers(all)).toMatchObject({ added: ["call", "init", "late"], failed: [] });
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_init_echo"]);
    release();
    await provider.refresh();
    expect(provider.tools()).toHaveLength(3);
    await provider.close();
  });

  it("restarts nothing when it changes", async () => {
    const world = createCalmWorld();
    const spec = specOf("init");
    const provider = world.provider({ servers: [spec] });
    await provider.init();
    await provider.updateServer({ ...spec, startup: "call" });
    expect(world.server("init").connects.started).toBe(1);
    await provider.close();
  });
});

describe("elicitation: false", () => {
  it("keeps one server from asking a human, and another session from being asked as before", async () => {
    const world = createCalmWorld();
    const simulated = createSimulatedConnector(world);
    const offered: string[] = [];
    const connector: Connector = {
      connect(spec, hooks, signal) {
        offered.push(`${spec.id} ${hooks.onElicit === undefined ? "may not ask" : "may ask"}`);
        return simulated.connect(spec, hooks, signal);
      },
    };
    const muted = specOf("b", { elicitation: false });
    const provider = world.provider({
      connector,
      servers: [specOf("a"), muted],
      onElicit: async () => ({ action: "decline" }),
    });
    await provider.init();
    expect(offered).toEqual(["a may ask", "b may not ask"]);
    await provider.updateServer({ ...muted, elicitation: true });
    expect(offered.slice(2)).toEqual(["b may ask"]);
    await provider.close();
  });
});

describe("refresh({ timeoutMs })", () => {
  it("publishes who was there in time, names who was not, and lets that go on", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("late"), specOf("quick")] });
    const release = world.hold("late");
    const failed = failureOf(provider.refresh({ timeoutMs: 50 }));
    await world.settle();
    world.clock.advance(50);
    expect(await failed).toMatchObject({
      code: "refresh_failed",
      retryable: true,
      details: { failures: [{ code: "list_timeout", serverId: "late", details: { timeoutMs: 50 } }] },
    });
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_quick_echo"]);
    release();
    await world.settle();
    expect(provider.tools()).toHaveLength(2);
    await provider.refresh({ timeoutMs: 50 });
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it.each<[unknown, string]>([
    [{ timeoutMs: 0 }, "timeoutMs must be a number above 0"],
    [{ timeout: 5 }, 'refresh() has no option "timeout"'],
  ])("refuses %o", async (options, message) => {
    const provider = createCalmWorld().provider();
    const failure = await failureOf(provider.refresh(options as never));
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(message);
    await provider.close();
  });
});
