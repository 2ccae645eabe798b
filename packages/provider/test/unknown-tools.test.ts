import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

const read = "mcp_s_read";

function start(world: CalmWorld): ReturnType<CalmWorld["provider"]> {
  world.server("s", "read");
  return world.provider({ servers: [specOf("s")] });
}

describe("a call of a tool that is not there", () => {
  it("says which servers are not there either, and why", async () => {
    const world = createCalmWorld();
    const ids = ["good", "hung", "locked", "off", "refused"];
    for (const id of ids) world.server(id, "a");
    world.server("hung").faults.connect.push("hang");
    world.server("locked").faults.connect.push("unauthorized");
    world.server("refused").faults.connect.push("refuse");
    const servers = ids.map((id) => specOf(id, { disabled: id === "off" }));
    const provider = world.provider({ servers, backoff: { background: false } });
    const init = provider.init();
    await world.settle();
    world.clock.advance(10_000);
    await init;
    expect(await failureOf(provider.call(read))).toMatchObject({
      code: "unknown_tool",
      rawMessage:
        'tool "mcp_s_read" not found; there is 1, by another name; no tools are known of "hung" (connecting), ' +
        '"locked" (needs-auth: auth_required), "off" (disabled), "refused" (failed: unreachable)',
      details: {
        servers: [
          { id: "hung", state: "connecting" },
          { id: "locked", state: "needs-auth", code: "auth_required" },
          { id: "off", state: "disabled" },
          { id: "refused", state: "failed", code: "unreachable" },
        ],
      },
    });
    await provider.close();
  });

  it("asks whether init() was called when nothing was ever asked of a server", async () => {
    const provider = start(createCalmWorld());
    expect(await failureOf(provider.call(read))).toMatchObject({
      rawMessage: expect.stringContaining('no tools are known of "s" (idle); was init() called?'),
    });
    await provider.close();
  });

  it("says nothing of servers that are there", async () => {
    const provider = start(createCalmWorld());
    await provider.init();
    expect(await failureOf(provider.call("mcp_s_other"))).toMatchObject({
      rawMessage: 'tool "mcp_s_other" not found; there is 1, by another name',
      details: {},
    });
    await provider.close();
  });
});

describe("init({ toolName })", () => {
  it("does not wait for a server whose tools cannot have this name, nor start it", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    world.server("late", "read");
    world.hold("late");
    const servers = [specOf("s"), specOf("late"), specOf("lazy", { startup: "call" })];
    const provider = world.provider({ servers });
    const init = provider.init();
    await world.settle();
    // Those that start together appear together, unless one is late.
    world.clock.advance(250);
    await world.settle();
    for (const call of ["mcp_s_raed", "made_up"]) {
      await provider.init({ retryFailed: false, toolName: call });
    }
    expect(provider.statuses()).toMatchObject([
      { id: "late", state: "connecting" },
      { id: "lazy", state: "idle" },
      { id: "s", state: "ready" },
    ]);
    await expect(provider.init({ toolName: 1 as never })).rejects.toThrow("toolName must be a text");
    world.clock.advance(10_000);
    await init;
    const closing = provider.close();
    world.clock.advance(60_000);
    await closing;
  });

  it("waits for a tool that is there and not on show yet, because servers that start together appear together", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    world.server("late", "read");
    world.hold("late");
    const provider = world.provider({ servers: [specOf("s"), specOf("late")] });
    const init = provider.init();
    await world.settle();
    const found = provider.init({ retryFailed: false, toolName: "mcp_s_read" }).then(() => "settled");
    const shown = new Promise((resolve) => provider.onToolsChanged(() => resolve(provider.has("mcp_s_read"))));
    await world.settle();
    expect(provider.has("mcp_s_read")).toBe(false);
    world.clock.advance(250);
    expect(await Promise.race([found, shown])).toBe(true);
    world.clock.advance(10_000);
    await Promise.all([init, found]);
    const closing = provider.close();
    world.clock.advance(60_000);
    await closing;
  });

  it("waits for a server that had a tool by this name before, whatever the name looks like", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const savedNames = { version: 1, servers: [["s", [["read", "the_reader"]]]] };
    const provider = world.provider({ servers: [specOf("s")], savedNames });
    await provider.init({ retryFailed: false, toolName: "the_reader" });
    expect(await provider.call("the_reader")).toMatchObject({ isError: false });
    await provider.close();
  });
});

describe("call({ wait })", () => {
  it("refuses any other word", async () => {
    const provider = start(createCalmWorld());
    await expect(provider.call(read, {}, { wait: "yes" as "servers" })).rejects.toThrow('wait must be "servers"');
    await provider.close();
  });
});

describe("unreadyGroups()", () => {
  it("names the groups of servers that are not ready, and why, whether their tools are known or not", async () => {
    const world = createCalmWorld();
    const ids = ["good", "hung", "locked", "lost", "off"];
    for (const id of ids) world.server(id, "a");
    world.server("hung").faults.connect.push("hang");
    world.server("locked").faults.connect.push("unauthorized");
    const servers = ids.map((id) => specOf(id, { disabled: id === "off", title: `The ${id}` }));
    const provider = world.provider({ servers, backoff: { background: false } });
    expect(provider.unreadyGroups().map(({ state }) => state)).toEqual(["idle", "idle", "idle", "idle"]);
    const init = provider.init();
    await world.settle();
    world.clock.advance(10_000);
    await init;
    expect(provider.unreadyGroups()).toEqual([
      { id: "mcp:hung", title: "The hung", serverId: "hung", state: "connecting" },
      { id: "mcp:locked", title: "The locked", serverId: "locked", state: "needs-auth", code: "auth_required" },
    ]);
    // A session that the host ended is there again with the next call.
    await provider.disconnectServer("good");
    expect(provider.unreadyGroups().map(({ serverId }) => serverId)).toEqual(["hung", "locked"]);
    await provider.close();
  });
});
