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

describe('call(…, { wait: "servers" })', () => {
  it("waits for a server that is on its way, and starts one that is not", async () => {
    const world = createCalmWorld();
    const provider = start(world);
    const release = world.hold();
    const call = provider.call(read, {}, { wait: "servers" });
    await world.settle();
    expect(world.server("s").connects.started).toBe(1);
    release();
    expect(await call).toMatchObject({ isError: false });
    expect(await provider.call(read, {}, { wait: "servers" })).toMatchObject({ isError: false });
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("goes out as soon as its tool is there, whoever else is late", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const release = world.hold("late");
    const provider = world.provider({ servers: [specOf("late"), specOf("s")] });
    expect(await provider.call(read, {}, { wait: "servers" })).toMatchObject({ isError: false });
    release();
    await provider.close();
  });

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
      expect(await failureOf(provider.call(call, {}, { wait: "servers" }))).toMatchObject({ code: "unknown_tool" });
      await provider.init({ retryFailed: false, toolName: call });
    }
    expect(provider.statuses()).toMatchObject([
      { id: "late", state: "connecting" },
      { id: "lazy", state: "idle" },
      { id: "s", state: "ready" },
    ]);
    const waiting = failureOf(provider.call("mcp_late_raed", {}, { wait: "servers", timeoutMs: 500 }));
    await world.settle();
    world.clock.advance(500);
    expect(await waiting).toMatchObject({ code: "call_timeout" });
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
    expect(await provider.call("the_reader", {}, { wait: "servers" })).toMatchObject({ isError: false });
    await provider.close();
  });

  it("rejects with unknown_tool when nobody is on the way any more", async () => {
    const world = createCalmWorld();
    const provider = start(world);
    world.server("s").faults.connect.push("refuse");
    expect(await failureOf(provider.call(read, {}, { wait: "servers" }))).toMatchObject({
      code: "unknown_tool",
      details: { servers: [{ id: "s", state: "failed", code: "unreachable" }] },
    });
    await provider.refresh();
    expect(await failureOf(provider.call("mcp_s_other", {}, { wait: "servers" }))).toMatchObject({
      code: "unknown_tool",
    });
    await provider.close();
  });

  it("is bounded by the time of the call, its abort and close()", async () => {
    const world = createCalmWorld();
    const provider = start(world);
    world.hold();
    const abort = new AbortController();
    const timed = failureOf(provider.call(read, {}, { wait: "servers", timeoutMs: 500 }));
    const aborted = failureOf(provider.call(read, {}, { wait: "servers", signal: abort.signal }));
    const closed = failureOf(provider.call(read, {}, { wait: "servers" }));
    await world.settle();
    world.clock.advance(500);
    abort.abort();
    const closing = provider.close();
    expect(await Promise.all([timed, aborted, closed])).toMatchObject([
      {
        code: "call_timeout",
        outcome: "not-sent",
        details: { timeoutMs: 500, servers: [{ id: "s", state: "connecting" }] },
      },
      { code: "aborted", outcome: "not-sent" },
      { code: "closed", outcome: "not-sent" },
    ]);
    world.clock.advance(60_000);
    await closing;
    expect(world.clock.pending).toBe(0);
  });

  it("makes one deadline of the wait and the call", async () => {
    const world = createCalmWorld();
    const provider = start(world);
    world.server("s").faults.call.push("hang");
    const release = world.hold();
    const call = failureOf(provider.call(read, {}, { wait: "servers", timeoutMs: 1000 }));
    await world.settle();
    world.clock.advance(600);
    release();
    await world.settle();
    world.clock.advance(400);
    expect(await call).toMatchObject({ code: "call_timeout", outcome: "unknown" });
    await provider.close();
  });

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
