import type { JsonObject } from "@hostside/core";
import { fixtureServer, startFaultServer } from "@hostside/fixtures";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { connectRaw, connectSession, envelope, isMethod, type RawClient } from "./raw-client.ts";
import { textOf } from "./static-world.ts";
import { openWorld } from "./upstream.ts";

const append = (text: string): JsonObject => ({ name: "mcp_s_append", arguments: { text } });

describe("a call runs at most once, end to end", () => {
  it("when its client is gone in the middle of it", async () => {
    const rules = [
      { on: "tools/call", do: [{ type: "execute" }, { type: "hold", barrier: "middle" }, { type: "proceed" }] },
    ] as const;
    await using server = await startFaultServer({ transport: "stdio", script: { era: "legacy", rules } });
    await using world = await openWorld({ servers: [{ id: "s", ...server.spec }] });
    const client = await connectSession(world.gateway);
    void client.request("tools/call", append("once"));
    await server.reached("middle");
    await client[Symbol.asyncDispose]();
    await server.occurred("notifications/cancelled");
    expect(world.gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0 });
    server.open("middle");
    await using next = await connectSession(world.gateway);
    await next.request("tools/call", append("another"));
    expect(server.ledger().map(({ args }) => args["text"])).toEqual(["once", "another"]);
  });

  it("when its server dies in the middle of it, which its client is told as what it is", async () => {
    const rules = [
      { on: "tools/call", where: { process: 1 }, do: [{ type: "execute" }, { type: "exit", signal: "SIGKILL" }] },
    ] as const;
    await using server = await startFaultServer({ transport: "stdio", script: { era: "legacy", rules } });
    await using world = await openWorld({ servers: [{ id: "s", ...server.spec }] });
    await using client = await connectSession(world.gateway);
    expect(await client.request("tools/call", append("once"))).toMatchObject({
      result: { isError: true, _meta: { "hostside/error": { outcome: "unknown", retryable: false } } },
    });
    expect(textOf(await client.request("tools/call", append("again")))).toBe("again");
    expect(server.ledger().map(({ args }) => args["text"])).toEqual(["once", "again"]);
  });
});

describe("what passes whole", () => {
  it("is what a server says that nobody here knows, and not what it says to this hop alone", async () => {
    const tools = [
      {
        name: "append",
        inputSchema: { type: "object", "x-future": [1] },
        annotations: { readOnlyHint: true, futureHint: 1 },
        future: { a: null },
        execution: { taskSupport: "required" },
      },
    ];
    const content = [
      { type: "hologram", data: { depth: 3 } },
      { type: "text", text: "hi", _meta: { of: "text" }, annotations: { priority: 1 } },
      { type: "image", data: 7 },
    ];
    const _meta = { "vendor/key": 1, "io.modelcontextprotocol/serverInfo": { name: "x" }, traceparent: "00-a-b-01" };
    const message = { result: { content, structuredContent: [1, null], future: true, _meta } };
    const rules = [{ on: "tools/call", do: [{ type: "respond", message }] }] as const;
    await using server = await startFaultServer({ transport: "stdio", script: { era: "legacy", tools, rules } });
    await using world = await openWorld({ servers: [{ id: "s", ...server.spec }] });
    await using client = await connectSession(world.gateway);
    const listed = await client.request("tools/list");
    const { execution: _tasks, name: _name, ...rest } = tools[0] ?? {};
    expect(listed).toMatchObject({ result: { tools: [{ ...rest, name: "mcp_s_append" }] } });
    // The gateway has no tasks, whatever its server says.
    expect(JSON.stringify(listed)).not.toContain("taskSupport");
    const sent = {
      traceparent: "00-c-d-01",
      baggage: "a=b",
      "vendor/x": 1,
      progressToken: "mine",
      "io.modelcontextprotocol/x": 1,
    };
    const answer = await client.request("tools/call", { ...append("hi"), _meta: sent });
    const notShown = (kind: string) => ({ type: "text", text: expect.stringContaining(`"${kind}"`) });
    expect(answer["result"]).toEqual({
      // Clients refuse the whole result for a block of a kind that they do not know.
      content: [
        notShown("hologram"),
        content[1],
        notShown("malformed:image"),
        // Before 2026-07-28, structured content is an object.
        { type: "text", text: "[1,null]" },
      ],
      future: true,
      _meta: { "vendor/key": 1, traceparent: "00-a-b-01" },
    });
    const call = server.trace().find(({ direction, text }) => direction === "in" && text.includes('"tools/call"'));
    const { progressToken, ...passed } = (JSON.parse(call?.text ?? "{}").params as JsonObject)["_meta"] as JsonObject;
    expect(passed).toEqual({ traceparent: "00-c-d-01", baggage: "a=b", "vendor/x": 1 });
    expect(progressToken).not.toBe("mine");
  });

  it("is a line of a log, from the level on that a client asked for, and what is no level counts as info", async () => {
    const log = (level: string): JsonObject => ({
      method: "notifications/message",
      params: { level, data: `a ${level}` },
    });
    await using server = await startFaultServer({ transport: "stdio", script: { era: "legacy" } });
    await using world = await openWorld({ servers: [{ id: "s", ...server.spec }] });
    await using client = await connectSession(world.gateway);
    await using silent = await connectSession(world.gateway);
    expect(client.hello["capabilities"]).toMatchObject({ logging: {} });
    expect(await client.request("logging/setLevel", { level: "loud" })).toMatchObject({ error: { code: -32_602 } });
    expect(await client.request("logging/setLevel", { level: "warning" })).toMatchObject({ result: {} });
    for (const level of ["info", "warning", "strange", "alert"]) await server.send(log(level));
    await client.next(({ params }) => JSON.stringify(params ?? "").includes("a alert"));
    // What is no level counts as info.
    expect(client.received.filter(isMethod("notifications/message")).map(({ params }) => params)).toEqual([
      { level: "warning", logger: "s", data: "a warning" },
      { level: "alert", logger: "s", data: "a alert" },
    ]);
    expect(silent.received.filter(isMethod("notifications/message"))).toEqual([]);
  });

  it("is a line of a log of a server of 2026-07-28, which writes none unasked", async () => {
    await using world = await openWorld({ servers: ["official-scenarios"] });
    await using legacy = await connectSession(world.gateway);
    await using modern = connectRaw(world.gateway);
    const linesOf = ({ received }: RawClient): number => received.filter(isMethod("notifications/message")).length;
    const params = { name: "mcp_official_scenarios_test_logging_tool", arguments: {} };
    await legacy.request("tools/call", params);
    await modern.request("tools/call", { ...params, _meta: envelope() });
    expect([linesOf(legacy), linesOf(modern)]).toEqual([0, 0]);
    const _meta = { ...envelope(), "io.modelcontextprotocol/logLevel": "info" };
    await modern.request("tools/call", { ...params, _meta });
    expect([linesOf(legacy), linesOf(modern)]).toEqual([0, 3]);
    await legacy.request("logging/setLevel", { level: "info" });
    await legacy.request("tools/call", params);
    expect([linesOf(legacy), linesOf(modern)]).toEqual([3, 3]);
  });
});

describe("hostile neighbours disturb no third", () => {
  it("a server that floods with changes costs a client one line in a while, and a client that does not read costs nobody", async () => {
    await using flood = await startFaultServer({ transport: "stdio", script: { era: "legacy" } });
    await using world = await openWorld({ servers: [{ id: "s", ...flood.spec }, "legacy-stdio"] });
    await using client = await connectSession(world.gateway);
    const deaf = await connectSession(world.gateway);
    deaf.stall();
    for (let n = 0; n < 50; n += 1)
      void deaf.request("tools/call", { name: "mcp_legacy_stdio_echo", arguments: { text: "x" } });
    const times = 2000;
    void flood.perform([{ type: "send", message: { method: "notifications/tools/list_changed" }, times }]);
    for (let n = 0; n < 20; n += 1) {
      const answer = await client.request("tools/call", { name: "mcp_legacy_stdio_echo", arguments: { text: `${n}` } });
      expect(textOf(answer)).toBe(`${n}`);
    }
    expect(client.received.filter(isMethod("notifications/tools/list_changed")).length).toBeLessThan(20);
    await deaf[Symbol.asyncDispose]();
  });
});

describe("over the pipes of a process", () => {
  const program = fileURLToPath(new URL("programs/serve.mjs", import.meta.url));

  it("serves both eras, survives what is no message, and ends by itself when its client closes its end", async () => {
    const spec = { id: "s", type: "stdio", ...fixtureServer("modern-stdio") };
    const child = spawn(process.execPath, [program, JSON.stringify([spec])], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (text: string): Promise<JsonObject> => {
      child.stdin.write(`${text}\n`);
      return JSON.parse((await lines.next()).value as string) as JsonObject;
    };
    expect(await ask("{")).toMatchObject({ error: { code: -32_700 } });
    expect(await ask(`"${"x".repeat(9 * 1024 * 1024)}"`)).toMatchObject({ error: { code: -32_700 } });
    const params = { name: "mcp_s_echo", arguments: { text: "é😀" }, _meta: envelope() };
    const answer = await ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    expect(answer).toMatchObject({ id: 1, result: { resultType: "complete", content: [{ text: "é😀" }] } });
    const hello = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    expect(await ask(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "initialize", params: hello }))).toMatchObject({
      result: { protocolVersion: "2024-11-05", serverInfo: { name: "hostside-gateway" } },
    });
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

describe("after close()", () => {
  it("nothing is left, and nobody is let in", async () => {
    await using world = await openWorld({ servers: ["legacy-stdio"] });
    const client = await connectSession(world.gateway);
    const held = client.request("tools/call", { name: "mcp_legacy_stdio_slow", arguments: { steps: 1000, stepMs: 5 } });
    await world.gateway.close("bye", { drainMs: 1 });
    expect(world.gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0 });
    await using late = connectRaw(world.gateway);
    expect(await late.request("server/discover", { _meta: envelope() })).toMatchObject({ error: { code: -32_000 } });
    void held;
  });
});
