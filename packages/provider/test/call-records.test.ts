import type { CallRecord, ServerRecord, Subscription } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { specOf } from "./simulation/simulated-server.ts";
import { firstDate } from "./simulation/virtual-clock.ts";

const context = { principal: "ada", correlationId: "c1" };

describe("onCallEnded", () => {
  it("says how long a call waited, how long it took, how often it was sent, and on whose behalf", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s", { concurrency: "serial" })] });
    const records: CallRecord[] = [];
    await provider.init();
    provider.onCallEnded((record) => records.push(record));
    const release = world.hold("s");
    const first = provider.call("mcp_s_echo", { id: "1" }, { context });
    const second = provider.call("mcp_s_echo", { id: "2" });
    await world.settle();
    world.clock.advance(400);
    release();
    await Promise.all([first, second]);
    const { origin } = provider.tools()[0] ?? {};
    const none = { queueMs: 0, connectMs: 0, listMs: 0, turnMs: 0 };
    const all = { origin, startedAt: firstDate, durationMs: 400, sends: 1, result: "ok" };
    const peer = { transport: "custom", era: "legacy", protocolVersion: "2025-11-25", session: 1 };
    expect(records).toEqual([
      { ...all, ...none, context, attempts: [{ startedAt: firstDate, durationMs: 400, peer, requests: 0 }] },
      {
        ...all,
        ...none,
        queueMs: 400,
        turnMs: 400,
        attempts: [{ startedAt: firstDate + 400, durationMs: 0, peer, requests: 0 }],
      },
    ]);
    expect(world.server("s").received.map(({ meta }) => meta)).toEqual([undefined, undefined]);
    await provider.close();
  });

  it("leaves the token of an approval out of records, and out of what a connection gets", async () => {
    const world = createCalmWorld();
    const contexts: unknown[] = [];
    const connector = createSimulatedConnector(world);
    const provider = world.provider({
      servers: [specOf("s")],
      connector: {
        async connect(...args) {
          const connection = await connector.connect(...args);
          const callTool: typeof connection.callTool = (toolName, given, options) => {
            contexts.push(options?.context);
            return connection.callTool(toolName, given, options);
          };
          return { ...connection, callTool };
        },
      },
    });
    const records: CallRecord[] = [];
    await provider.init();
    provider.onCallEnded((record) => records.push(record));
    await provider.call("mcp_s_echo", { id: "1" }, { context: { ...context, approval: "the-token" } });
    expect([records[0]?.context, ...contexts]).toEqual([context, context]);
    await provider.close();
  });

  it("counts a call that was sent once more, and one that never was", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s")] });
    const records: CallRecord[] = [];
    await provider.init();
    provider.onCallEnded((record) => records.push(record));
    for (const session of world.server("s").sessions) session.expire();
    await provider.call("mcp_s_echo", { id: "1" });
    await provider.disconnectServer("s");
    world.server("s").faults.connect.push("refuse");
    const error = await failureOf(provider.call("mcp_s_echo", { id: "2" }));
    expect(records).toMatchObject([
      {
        sends: 2,
        result: "ok",
        attempts: [{ peer: { session: 1 }, error: { code: "session_expired" } }, { peer: { session: 2 } }],
      },
      { sends: 0, result: "error", attempts: [] },
    ]);
    expect(records[1]?.error).toBe(error);
    await provider.close();
  });

  it("tells a tool's own failure from a call that failed, and is there before the caller hears of it", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const seen: unknown[] = [];
    provider.onCallEnded(({ result, error }) => {
      const { inFlight, waiting } = provider.statuses()[0] ?? {};
      seen.push([result, error?.code, inFlight, waiting]);
    });
    world.server("s").faults.call.push("fail");
    await failureOf(provider.call("mcp_s_echo", { id: "1" }).finally(() => seen.push("heard")));
    world.server("s").faults.call.push("tool-error");
    await provider.call("mcp_s_echo", { id: "2" });
    expect(seen).toEqual([["error", "server_error", 0, 0], "heard", ["tool-error", undefined, 0, 0]]);
    await provider.close();
  });

  it("tells the time for connecting from that for a listing and that for a turn", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s", { concurrency: "serial" })] });
    await provider.init();
    await provider.disconnectServer("s");
    const records: CallRecord[] = [];
    provider.onCallEnded((record) => records.push(record));
    let release = world.hold("s");
    const calls = [provider.call("mcp_s_echo", { id: "1" }), provider.call("mcp_s_echo", { id: "2" })];
    for (const ms of [100, 20, 3, 3, 3, 3]) {
      await world.settle();
      world.clock.advance(ms);
      const next = world.hold("s");
      release();
      release = next;
    }
    release();
    await Promise.all(calls);
    const [first, second] = records;
    expect(first?.connectMs).toBeGreaterThan(0);
    expect(first?.listMs).toBeGreaterThan(0);
    expect(first?.turnMs).toBe(0);
    expect(second?.turnMs).toBeGreaterThan(0);
    for (const { queueMs, connectMs, listMs, turnMs, durationMs, attempts } of records) {
      expect(queueMs).toBe(connectMs + listMs + turnMs);
      expect(durationMs).toBe(attempts.reduce((sum, attempt) => sum + attempt.durationMs, queueMs));
    }
    await provider.close();
  });

  it("goes to the observer of the call, which adds to what is sent", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const heard: unknown[] = [];
    const observer = {
      meta: () => ({ traceparent: "00-1-2-01" }),
      onRecord: ({ result, sends }: CallRecord) => heard.push([result, sends]),
    };
    const options = { meta: { own: 1, traceparent: "the caller's" }, observer };
    await provider.call("mcp_s_echo", { id: "1" }, options);
    expect(heard).toEqual([["ok", 1]]);
    expect(world.server("s").received.map(({ meta }) => meta)).toEqual([{ own: 1, traceparent: "00-1-2-01" }]);
    await expect(provider.call("mcp_s_echo", {}, { observer: 5 as never })).rejects.toThrow(TypeError);
    await provider.close();
  });
});

describe("onServerRecord", () => {
  it("says what became of each attempt to connect, of each listing, and of each session", async () => {
    const world = createCalmWorld();
    const provider = world.provider({ servers: [specOf("s")] });
    const records: ServerRecord[] = [];
    provider.onServerRecord((record) => records.push(record));
    world.server("s").faults.connect.push("refuse");
    await provider.init().catch(() => undefined);
    await provider.refresh();
    world.clock.advance(5000);
    await provider.disconnectServer("s");
    expect(
      records.map(({ operation, durationMs, error, toolCount, peer }) => [
        operation,
        durationMs,
        error?.code ?? toolCount,
        peer.session,
      ]),
    ).toEqual([
      ["connect", 0, "unreachable", 1],
      ["connect", 0, undefined, 2],
      ["list", 0, 1, 2],
      ["session", 5000, "server_removed", 2],
    ]);
    await provider.close();
  });
});

describe("onServerOperation", () => {
  it("says what begins to who wants to hear of its end, and asks them for what goes along", async () => {
    const world = createCalmWorld();
    const given: unknown[] = [];
    const connector = createSimulatedConnector(world);
    const provider = world.provider({
      servers: [specOf("s")],
      connector: {
        async connect(spec, hooks, signal) {
          given.push(hooks.requestMeta?.());
          const connection = await connector.connect(spec, hooks, signal);
          const listTools: typeof connection.listTools = async (options) => {
            given.push(options?.observer?.meta?.());
            return connection.listTools({ ...options, observer: undefined });
          };
          return { ...connection, listTools };
        },
      },
    });
    await provider.init();
    expect(given).toEqual([undefined, undefined]);
    await provider.disconnectServer("s");

    const ended: string[] = [];
    const follow = (name: string): Subscription =>
      provider.onServerOperation(({ operation, observe }) =>
        observe({
          meta: () => ({ by: name, [name]: operation }),
          onRecord: (record) => ended.push(`${name} ${record.operation}`),
        }),
      );
    using _first = follow("a");
    using _second = follow("b");
    using _broken = provider.onServerOperation(({ observe }) =>
      observe({
        meta() {
          throw new Error("an observer that is broken");
        },
      }),
    );
    const seen: unknown[] = [];
    const ignore = (error: unknown): void => void seen.push(error);
    process.on("uncaughtException", ignore);
    given.length = 0;
    await provider.refresh();
    await world.settle();
    process.off("uncaughtException", ignore);
    expect(given).toEqual([
      { by: "a", a: "connect", b: "connect" },
      { by: "a", a: "list", b: "list" },
    ]);
    expect(ended).toEqual(["a connect", "b connect", "a list", "b list"]);
    expect(seen).toHaveLength(2);
    await provider.close();
  });
});
