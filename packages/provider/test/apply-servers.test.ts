import type { ServerSpec } from "@hostside/core";
import type { ApplyOptions, McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

const at = (id: string, url: string): ServerSpec => ({ id, type: "http", url });
const old = at("s", "https://example.com/old");
const next = at("s", "https://example.com/new");

async function startWith(world: CalmWorld, ...servers: readonly ServerSpec[]): Promise<McpProvider> {
  const provider = world.provider({ servers });
  await provider.init();
  return provider;
}

const namesOf = (provider: McpProvider): readonly string[] => provider.tools().map(({ name }) => name);

describe("applyServers()", () => {
  it("adds, updates, removes and leaves alone, and says which", async () => {
    const world = createCalmWorld();
    const [kept, gone, viewed] = [specOf("kept"), specOf("gone"), specOf("viewed")];
    const provider = await startWith(world, old, kept, gone, viewed);
    const result = await provider.applyServers([{ ...viewed, title: "V" }, specOf("new"), next, kept]);
    expect(result).toEqual({
      added: ["new"],
      updated: ["s", "viewed"],
      removed: ["gone"],
      unchanged: ["kept"],
      failed: [],
    });
    expect(provider.serverIds()).toEqual(["kept", "new", "s", "viewed"]);
    expect(namesOf(provider)).toEqual(["mcp_kept_echo", "mcp_new_echo", "mcp_s_echo", "mcp_viewed_echo"]);
    expect(["kept", "viewed", "s"].map((id) => world.server(id).connects.started)).toEqual([1, 1, 2]);
    expect(world.server("gone").processes).toBe(0);
    await provider.close();
  });

  it("shows all that goes in one change, before it returns, and tells of it when all is done", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, specOf("a"), specOf("b"), specOf("c"));
    const changes: unknown[] = [];
    provider.onToolsChanged(({ removed }) => changes.push(removed));
    provider.onStatusChanged(({ id, state }) => changes.push(`${id} ${state} beside ${provider.serverIds().join()}`));
    const applied = provider.applyServers([specOf("c", { disabled: true })]);
    expect(provider.tools()).toEqual([]);
    expect(changes).toEqual([
      ["mcp_a_echo", "mcp_b_echo", "mcp_c_echo"],
      "a removed beside c",
      "b removed beside c",
      "c disabled beside c",
    ]);
    await applied;
    await provider.close();
  });

  it.each<[string, readonly unknown[], string]>([
    ["a bad spec", [specOf("b"), { id: "x" }], "invalid_spec"],
    ["two of one name", [specOf("b"), specOf("B")], "duplicate_server"],
  ])("changes nothing when there is %s among them: %s", async (_what, specs, code) => {
    const world = createCalmWorld();
    const provider = await startWith(world, specOf("a"));
    expect(await failureOf(provider.applyServers(specs as readonly ServerSpec[]))).toMatchObject({ code });
    expect(provider.serverIds()).toEqual(["a"]);
    expect(namesOf(provider)).toEqual(["mcp_a_echo"]);
    await provider.close();
  });

  it.each<[string, unknown, string]>([
    ["an option that nothing reads", { drain: 1 }, 'applyServers() has no option "drain"'],
    ["a negative time", { drainMs: -1 }, "drainMs must be a number from 0 to 86400000"],
    ["a time without end", { drainMs: Number.POSITIVE_INFINITY }, "drainMs must be a number"],
    ["a blank reason", { reason: " " }, "reason must be a text"],
    ["a reason that is a document", { reason: "x".repeat(1001) }, "reason must be a text of 1 to 1000 characters"],
    ["a signal that is none", { signal: {} }, "signal must be an AbortSignal"],
    ["a flag that is a text", { interactive: "yes" }, "interactive must be true or false"],
  ])("refuses %s", async (_what, options, message) => {
    const world = createCalmWorld();
    const provider = await startWith(world, specOf("a"));
    const failure = await failureOf(provider.applyServers([], options as ApplyOptions));
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(message);
    expect(provider.serverIds()).toEqual(["a"]);
    await provider.close();
  });

  it("brings up the others when one fails, and keeps it registered", async () => {
    const world = createCalmWorld();
    world.server("bad").faults.connect.push("refuse");
    const provider = await startWith(world);
    const { added, failed } = await provider.applyServers([specOf("bad"), specOf("good")]);
    expect(added).toEqual(["bad", "good"]);
    expect(failed).toMatchObject([{ serverId: "bad", error: { code: "unreachable", serverId: "bad" } }]);
    expect(namesOf(provider)).toEqual(["mcp_good_echo"]);
    expect(provider.statuses()[0]).toMatchObject({ id: "bad", state: "failed" });
    await provider.refresh();
    expect(namesOf(provider)).toEqual(["mcp_bad_echo", "mcp_good_echo"]);
    await provider.close();
  });

  it("lets the last one win: an earlier one neither brings back nor reports what is gone", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world);
    const release = world.hold();
    const first = provider.applyServers([specOf("a"), specOf("b")]);
    await world.settle();
    const second = provider.applyServers([specOf("c")]);
    release();
    expect(await first).toMatchObject({ added: ["a", "b"], failed: [] });
    expect(await second).toMatchObject({ added: ["c"], removed: ["a", "b"], failed: [] });
    expect(provider.serverIds()).toEqual(["c"]);
    expect(["a", "b", "c"].map((id) => world.server(id).processes)).toEqual([0, 0, 1]);
    await provider.close();
  });

  it("waits for a server that an earlier one with the same spec is still starting", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world);
    const release = world.hold();
    const spec = specOf("a");
    const first = provider.applyServers([spec]);
    await world.settle();
    let done = false;
    const second = provider.applyServers([spec]).then((result) => {
      done = true;
      return result;
    });
    await world.settle();
    expect(done).toBe(false);
    release();
    expect(await first).toMatchObject({ added: ["a"] });
    expect(await second).toMatchObject({ unchanged: ["a"], added: [], failed: [] });
    expect(world.server("a").connects.started).toBe(1);
    await provider.close();
  });

  it("makes a registration part of the set that addServer() is still making", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world);
    world.server("a").faults.connect.push("refuse");
    const release = world.hold();
    const spec = specOf("a");
    const added = failureOf(provider.addServer(spec));
    await world.settle();
    const applied = provider.applyServers([spec]);
    release();
    expect(await added).toMatchObject({ code: "unreachable" });
    expect(await applied).toMatchObject({ unchanged: ["a"], failed: [{ serverId: "a" }] });
    expect(provider.hasServer("a")).toBe(true);
    world.clock.advanceToNext();
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    await provider.close();
  });

  it("ends its wait, and takes nothing back, when the caller gives up", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world);
    const release = world.hold();
    const abort = new AbortController();
    const applied = failureOf(provider.applyServers([specOf("a")], { signal: abort.signal }));
    await world.settle();
    abort.abort(new Error("enough"));
    expect(await applied).toMatchObject({ code: "aborted" });
    release();
    await world.settle();
    expect(namesOf(provider)).toEqual(["mcp_a_echo"]);
    await provider.close();
  });

  it("waits for nobody longer than it is asked to: who is late has not failed, and comes later", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world);
    const release = world.hold();
    const applied = provider.applyServers([specOf("a")], { timeoutMs: 1000 });
    await world.settle();
    world.clock.advance(1000);
    expect(await applied).toMatchObject({ added: ["a"], failed: [] });
    expect(provider.statuses()).toMatchObject([{ id: "a", state: "connecting" }]);
    release();
    await world.settle();
    expect(namesOf(provider)).toEqual(["mcp_a_echo"]);
    await expect(provider.applyServers([], { timeoutMs: -1 })).rejects.toBeInstanceOf(TypeError);
    await provider.close();
  });

  it("rejects with closed when the provider closes meanwhile", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world);
    const release = world.hold();
    const applied = failureOf(provider.applyServers([specOf("a")]));
    await world.settle();
    const closed = provider.close();
    release();
    expect(await applied).toMatchObject({ code: "closed" });
    await closed;
    expect(world.server("a").processes).toBe(0);
    expect(await failureOf(provider.applyServers([]))).toMatchObject({ code: "closed" });
  });
});

describe("draining", () => {
  it("lets calls under way finish on the old session while new ones go to the new one", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    const server = world.server("s");
    const release = world.hold("s");
    const under = provider.call("mcp_s_echo", { id: "old" });
    await world.settle();
    const applied = provider.applyServers([next]);
    const late = provider.call("mcp_s_echo", { id: "late" });
    await world.settle();
    // The new session does not wait for the end of the old one.
    expect(server.connects.started).toBe(2);
    release();
    expect((await Promise.all([under, late])).map(({ isError }) => isError)).toEqual([false, false]);
    await applied;
    expect(Array.from(server.ledger)).toEqual([
      ["old", 1],
      ["late", 1],
    ]);
    expect([server.sessions.size, world.clock.pending]).toEqual([1, 0]);
    await provider.close();
  });

  it("cuts what has not finished in time, with the reason", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    const server = world.server("s");
    server.faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    let done = false;
    const options = { drainMs: 1000, reason: "no longer configured" };
    const removed = provider.removeServer("s", options).finally(() => (done = true));
    expect(provider.tools()).toEqual([]);
    world.clock.advance(999);
    await world.settle();
    expect([done, server.expired]).toEqual([false, 1]);
    world.clock.advance(1);
    expect(await under).toMatchObject({
      code: "server_removed",
      outcome: "unknown",
      rawMessage: 'server "s" was removed: no longer configured',
    });
    await removed;
    expect([server.processes, server.expired, world.clock.pending]).toEqual([0, 0, 0]);
    await provider.close();
  });

  it("is over as soon as the last call is, and leaves no timer behind", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    const release = world.hold("s");
    const under = provider.call("mcp_s_echo", { id: "old" });
    await world.settle();
    const removed = provider.removeServer("s", { drainMs: 60_000 });
    release();
    await Promise.all([under, removed]);
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it("refuses at once what waits for its turn: nothing of it was sent", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, { ...old, concurrency: "serial" });
    const release = world.hold("s");
    const under = provider.call("mcp_s_echo", { id: "first" });
    const behind = failureOf(provider.call("mcp_s_echo", { id: "second" }));
    await world.settle();
    const removed = provider.removeServer("s", { drainMs: 60_000 });
    expect(await behind).toMatchObject({ code: "server_removed", outcome: "not-sent" });
    release();
    expect(await under).toMatchObject({ isError: false });
    await removed;
    expect(world.server("s").ledger.has("second")).toBe(false);
    await provider.close();
  });

  it("has a process gone before the next one of the same id starts: it may hold a port, a file or a profile", async () => {
    const world = createCalmWorld();
    const spec = (command: string): ServerSpec => ({ id: "s", type: "stdio", command });
    const provider = await startWith(world, spec("old"));
    const server = world.server("s");
    const release = world.hold("s");
    const under = provider.call("mcp_s_echo", { id: "old" });
    await world.settle();
    const applied = provider.applyServers([spec("new")]);
    await world.settle();
    expect(server.connects.started).toBe(1);
    release();
    expect(await under).toMatchObject({ isError: false });
    await applied;
    expect(server.connects).toEqual({ started: 2, most: 1 });
    await provider.close();
  });

  it("ends with the removal of what came in the place of the server", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    const server = world.server("s");
    server.faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    const applied = provider.applyServers([next], { drainMs: 60_000 });
    await world.settle();
    expect(server.open.size).toBe(2);
    await provider.removeServer("s");
    expect(await under).toMatchObject({ code: "server_removed", outcome: "unknown" });
    expect([server.open.size, world.clock.pending]).toEqual([0, 0]);
    await applied;
    await provider.close();
  });

  it("goes on when another server of the id cannot be added, who does not wait for the end of it", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    const server = world.server("s");
    server.faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }, { timeoutMs: 5000 }));
    await world.settle();
    const removed = provider.removeServer("s", { drainMs: 60_000 });
    server.faults.connect.push("refuse");
    expect(await failureOf(provider.addServer(next))).toMatchObject({ code: "unreachable" });
    expect(server.open.size).toBe(1);
    world.clock.advance(5000);
    expect(await under).toMatchObject({ code: "call_timeout" });
    await removed;
    expect(world.clock.pending).toBe(0);
    await provider.close();
  });

  it("ends with the provider, whatever time is left", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    world.server("s").faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    const removed = provider.removeServer("s", { drainMs: 60_000 });
    await provider.close("the user left");
    expect(await under).toMatchObject({ code: "server_removed", outcome: "unknown" });
    await removed;
    expect([world.server("s").processes, world.clock.pending]).toEqual([0, 0]);
  });

  it("cuts at once with drainMs: 0", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    world.server("s").faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    await provider.applyServers([], { drainMs: 0 });
    expect(await under).toMatchObject({ code: "server_removed", outcome: "unknown" });
    await provider.close();
  });
});

describe("close()", () => {
  it("gives its reason to what was under way, to whoever comes later, and to the connection", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, old);
    world.server("s").faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    await provider.close("the user left");
    const rawMessage = 'provider "mcp" is closed: the user left';
    const named = { serverId: "s", toolName: "echo" };
    expect(await under).toMatchObject({ code: "closed", outcome: "unknown", rawMessage, ...named });
    expect(world.server("s").closedBecause).toEqual([rawMessage]);
    expect(() => provider.close(7 as never)).toThrow(TypeError);
  });
});
