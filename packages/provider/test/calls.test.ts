import type { JsonObject, Progress, ToolDefinition } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";

const read = "mcp_s_read";

async function start(world: CalmWorld, spec: Parameters<typeof specOf>[1] = {}): Promise<McpProvider> {
  world.server("s", "read", "write");
  const provider = world.provider({ servers: [specOf("s", spec)] });
  await provider.init();
  return provider;
}

describe("call()", () => {
  it("answers with all that came back, and where it came from", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const outcome = await provider.call("MCP_S_READ", { id: "1" });
    expect(outcome).toEqual({
      content: [{ type: "text", text: "1" }],
      isError: false,
      origin: { serverId: "s", toolName: "read", qualifiedName: "mcp::s::read" },
      raw: { content: [{ type: "text", text: "1" }], isError: false },
    });
    await provider.close();
  });

  it("sends arguments alone as arguments, and `_meta` and progress beside them", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    const reports: Progress[] = [];
    await provider.call(read, null, { meta: { "acme/agent": "a1" }, onProgress: (progress) => reports.push(progress) });
    expect(server.received).toEqual([{ toolName: "read", args: {}, meta: { "acme/agent": "a1" } }]);
    expect(reports).toEqual([{ progress: 1 }]);
    await provider.close();
  });

  it.each<[string, string, unknown]>([
    ["unknown_tool", "mcp_s_nothing", {}],
    ["unknown_tool", "__proto__", {}],
    ["invalid_arguments", read, []],
    ["invalid_arguments", read, "text"],
    ["invalid_arguments", read, 7],
  ])("rejects with %s at once, and touches no server", async (code, name, args) => {
    const world = createCalmWorld();
    const provider = await start(world);
    // A model sends what it likes, whatever the types say.
    await expect(provider.call(name, args as JsonObject)).rejects.toMatchObject({ code, outcome: "not-sent" });
    expect(world.server("s").received).toEqual([]);
    await provider.close();
  });

  it("says with unknown_tool which name was asked for, and which tool may have been meant", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    await expect(provider.call("write")).rejects.toMatchObject({
      code: "unknown_tool",
      toolName: "write",
      rawMessage: 'tool "write" not found; did you mean "mcp_s_write"?',
    });
    await provider.close();
  });

  it("rejects with closed after close, and with a TypeError for wrong options", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    await expect(provider.call(read, {}, { timeoutMs: 0 })).rejects.toThrow(TypeError);
    await provider.close();
    await expect(provider.call(read)).rejects.toMatchObject({ code: "closed" });
  });

  it("passes a failure on with what is known of its effect", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    server.faults.call.push("fail", "crash");
    await expect(provider.call(read)).rejects.toMatchObject({
      code: "server_error",
      outcome: "failed",
      toolName: "read",
    });
    await expect(provider.call(read)).rejects.toMatchObject({
      code: "server_exited",
      outcome: "unknown",
      toolName: "read",
    });
    // At most once: the crash was not made up for.
    expect(server.received).toHaveLength(2);
    await provider.close();
  });

  it("makes one deadline cover the reconnect, the listing and the call", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    for (const session of server.sessions) session.crash();
    const release = world.hold();
    const call = provider.call(read, {}, { timeoutMs: 1000 });
    const failed = failureOf(call);
    await world.settle();
    world.clock.advance(600);
    server.faults.call.push("hang");
    release();
    await world.settle();
    world.clock.advance(399);
    expect(server.received).toHaveLength(1);
    world.clock.advance(1);
    expect(await failed).toMatchObject({ code: "call_timeout", outcome: "unknown" });
    await provider.close();
  });

  it("rejects with call_timeout, not sent, when the server is not ready in time; its start goes on", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    for (const session of server.sessions) session.crash();
    const release = world.hold();
    const call = provider.call(read, {}, { timeoutMs: 50 });
    const failed = failureOf(call);
    await world.settle();
    world.clock.advance(50);
    expect(await failed).toMatchObject({ code: "call_timeout", outcome: "not-sent", serverId: "s" });
    release();
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", attempts: 2 });
    await provider.close();
  });

  it("ends one caller's wait on abort, and nobody else's", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    for (const session of world.server("s").sessions) session.crash();
    const release = world.hold();
    const abort = new AbortController();
    const given = provider.call(read, { id: "given up" }, { signal: abort.signal });
    const kept = provider.call(read, { id: "kept" });
    const refused = failureOf(given);
    await world.settle();
    abort.abort(new Error("enough"));
    expect(await refused).toMatchObject({ code: "aborted", outcome: "not-sent" });
    release();
    expect(await kept).toMatchObject({ isError: false });
    expect(world.server("s").connects.started).toBe(2);
    await provider.close();
  });

  it("hands the caller's signal to the connection, and touches no server when it is aborted already", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    world.server("s").faults.call.push("hang");
    const abort = new AbortController();
    const call = provider.call(read, {}, { signal: abort.signal });
    const failed = failureOf(call);
    await world.settle();
    abort.abort();
    expect(await failed).toMatchObject({ code: "aborted", outcome: "unknown" });
    await expect(provider.call(read, {}, { signal: abort.signal })).rejects.toMatchObject({ outcome: "not-sent" });
    expect(world.server("s").received).toHaveLength(1);
    await provider.close();
  });

  it("checks what the caller selected: tool_changed, tool_removed, registration_replaced", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    const [selected] = provider.tools([read]);
    const stored: ToolDefinition = JSON.parse(JSON.stringify(selected));
    await provider.call(read, {}, { selected: stored });
    const calling = async (definition: ToolDefinition | undefined): Promise<unknown> =>
      definition && provider.call(read, {}, { selected: definition });

    changeTools(server, (tools, version) => tools.set("read", version));
    for (const session of server.sessions) session.crash();
    // Only the listing of the next session shows that the tool is another one now.
    await expect(calling(selected)).rejects.toMatchObject({ code: "tool_changed", outcome: "not-sent" });
    await expect(calling(stored)).rejects.toMatchObject({ code: "tool_changed", outcome: "not-sent" });

    const [current] = provider.tools([read]);
    await provider.updateServer(specOf("s"));
    expect(provider.tools([read])[0]).toEqual(current);
    await expect(calling(current)).rejects.toMatchObject({ code: "registration_replaced", outcome: "not-sent" });

    const [again] = provider.tools([read]);
    changeTools(server, (tools) => tools.delete("read"));
    for (const session of server.sessions) session.crash();
    await expect(calling(again)).rejects.toMatchObject({ code: "tool_removed", outcome: "not-sent" });
    expect(server.received).toHaveLength(1);
    await provider.close();
  });

  it("lets a call finish whose tool vanishes meanwhile; a later one finds no tool", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    const release = world.hold();
    const call = provider.call(read, { id: "1" });
    await world.settle();
    await provider.removeServer("nothing");
    release();
    await world.settle();
    changeTools(server, (tools) => tools.delete("read"));
    await call;
    await provider.refresh();
    await expect(provider.call(read)).rejects.toMatchObject({ code: "unknown_tool" });
    await provider.close();
  });

  it("renews an expired session once for all racing calls, and sends each of them once more", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    for (const session of server.sessions) session.expire();
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, id) => provider.call(read, { id: `${id}` })));
    expect(outcomes).toHaveLength(20);
    expect(server).toMatchObject({ connects: { started: 2 }, listings: 2 });
    expect(Array.from(server.ledger.values())).toEqual(Array.from({ length: 20 }, () => 1));
    await provider.close();
  });

  it("surfaces session_expired when it comes a second time; the call after that recovers", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    const server = world.server("s");
    for (const session of server.sessions) session.expire();
    server.faults.connect.push("forget-at-once");
    await expect(provider.call(read, { id: "1" })).rejects.toMatchObject({
      code: "session_expired",
      outcome: "failed",
    });
    expect(await provider.call(read, { id: "2" })).toMatchObject({ isError: false });
    expect(server.ledger).toEqual(new Map([["2", 1]]));
    await provider.close();
  });

  it("shows refused credentials as needs-auth until a call works again", async () => {
    const world = createCalmWorld();
    const provider = await start(world);
    world.server("s").faults.call.push("unauthorized");
    await expect(provider.call(read)).rejects.toMatchObject({ code: "auth_required", outcome: "failed" });
    expect(provider.statuses()[0]).toMatchObject({
      state: "needs-auth",
      stage: "call",
      error: { code: "auth_required" },
    });
    await provider.call(read);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
    expect(world.server("s").connects.started).toBe(1);
    await provider.close();
  });
});

describe("concurrency", () => {
  const inFlight = (provider: McpProvider): unknown => {
    const [status] = provider.statuses();
    return [status?.inFlight, status?.waiting];
  };

  it("runs calls of one server together by default, up to a limit", async () => {
    const world = createCalmWorld();
    const provider = await start(world, { limits: { maxInFlightCalls: 2, maxQueuedCalls: 1 } });
    const release = world.hold();
    const calls = [provider.call(read), provider.call(read), provider.call(read)];
    await expect(provider.call(read)).rejects.toMatchObject({
      code: "overloaded",
      outcome: "not-sent",
      retryable: true,
    });
    expect(inFlight(provider)).toEqual([2, 1]);
    release();
    await Promise.all(calls);
    expect(inFlight(provider)).toEqual([0, 0]);
    await provider.close();
  });

  it("runs them one by one where the spec says serial", async () => {
    const world = createCalmWorld();
    const provider = await start(world, { concurrency: "serial" });
    const release = world.hold();
    const calls = [provider.call(read), provider.call(read)];
    await world.settle();
    expect(inFlight(provider)).toEqual([1, 1]);
    release();
    await Promise.all(calls);
    await provider.close();
  });

  it("runs only read-only tools together where the spec says read-only-parallel, in order of arrival", async () => {
    const world = createCalmWorld();
    const server = world.server("s");
    server.raw.push({ name: "look", inputSchema: {}, annotations: { readOnlyHint: true } });
    const provider = world.provider({ servers: [specOf("s", { concurrency: "read-only-parallel" })] });
    await provider.init();
    const release = world.hold();
    const calls = ["mcp_s_look", "mcp_s_look", "mcp_s_echo", "mcp_s_look"].map((name) => provider.call(name));
    await world.settle();
    expect(inFlight(provider)).toEqual([2, 2]);
    release();
    await Promise.all(calls);
    expect(server.received.map(({ toolName }) => toolName)).toEqual(["look", "look", "echo", "look"]);
    await provider.close();
  });

  it("does not count one server's calls against another's", async () => {
    const world = createCalmWorld();
    const provider = await start(world, { concurrency: "serial", limits: { maxQueuedCalls: 1 } });
    world.server("other", "a");
    await provider.addServer(specOf("other"));
    world.hold("s");
    const stuck = [provider.call(read), provider.call(read)];
    const settled = Promise.allSettled(stuck);
    await world.settle();
    expect(await provider.call("mcp_other_a")).toMatchObject({ isError: false });
    void provider.close();
    world.clock.advance(60_000);
    await settled;
  });
});
