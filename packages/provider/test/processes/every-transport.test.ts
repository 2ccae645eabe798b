import { createConnector } from "@toolport/transports";
import { createProvider, type McpProvider, type ProviderOptions, type ServerStatus } from "@toolport/provider";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";
import { startSubject, transportRows, type Subject } from "./transport-rows.ts";

const slow = { timeout: 60_000 };
const extra = { name: "extra", inputSchema: { type: "object" } };
const announce = [
  { type: "change-tools", add: [extra] },
  { type: "send", message: { method: "notifications/tools/list_changed" } },
] as const;
const runAndDie = (where: Record<string, string | number>) => ({
  on: "tools/call",
  where,
  do: [{ type: "execute" }, { type: "exit", code: 7 }] as const,
});

async function start(subject: Subject, options: Partial<ProviderOptions> = {}): Promise<McpProvider> {
  const provider = createProvider({ connector: createConnector(), servers: [subject.spec()], ...options });
  await provider.init();
  return provider;
}

const names = (provider: McpProvider): readonly string[] => provider.definitions().map(({ name }) => name);

describe.each(transportRows)("a server over $name", (row) => {
  it("is connected, listed and called (AN-40, EV-31)", slow, async () => {
    await using subject = await startSubject(row);
    await using provider = await start(subject);
    expect(provider.statuses()[0]).toMatchObject({
      state: "ready",
      stale: false,
      toolCount: 2,
      server: { era: row.era, protocolVersion: row.protocolVersion },
    });
    expect(names(provider)).toEqual(["mcp_s_append", "mcp_s_echo"]);
    expect(await provider.call("mcp_s_echo", { text: "hello" })).toMatchObject({ content: [{ type: "text" }] });
    expect(subject.control.ledger()).toMatchObject([{ tool: "echo", args: { text: "hello" } }]);
  });

  it("announces a change, and the next call lists, once for all who race (AN-41, AN-42)", slow, async () => {
    await using subject = await startSubject(row);
    await using provider = await start(subject);
    const stale = statusOf(provider, ({ stale }) => stale);
    await subject.control.perform(announce);
    await stale;
    expect(names(provider)).not.toContain("mcp_s_extra");
    await Promise.all(Array.from({ length: 20 }, (_, i) => provider.call("mcp_s_echo", { text: `${i}` })));
    expect(names(provider)).toContain("mcp_s_extra");
    expect(received(subject, "tools/list")).toBe(2);
  });

  it("announces a change, and it shows by itself where the provider refreshes eagerly (NX-65)", slow, async () => {
    await using subject = await startSubject(row);
    await using provider = await start(subject, { refresh: "debounced", debounce: { quietMs: 20, maxMs: 100 } });
    const changed = new Promise((resolve) => provider.onToolsChanged(resolve));
    await subject.control.perform(announce);
    expect(await changed).toEqual({ added: ["mcp_s_extra"], removed: [], changed: [] });
  });

  it(
    "dies while nobody calls, and is back with the next call, once for all who race (AN-44, NX-35)",
    slow,
    async () => {
      await using subject = await startSubject(row, { inChild: true });
      await using provider = await start(subject);
      if (row.transport === "stdio") {
        const down = statusOf(provider, ({ state }) => state === "down");
        for (const pid of subject.livePids()) process.kill(pid, "SIGKILL");
        await down;
      } else {
        await subject.revive();
      }
      const calls = Array.from({ length: 100 }, (_, i) => provider.call("mcp_s_echo", { text: `${i}` }));
      expect(await Promise.all(calls)).toHaveLength(100);
      expect(provider.statuses()[0]?.attempts).toBeLessThanOrEqual(2);
      expect(subject.control.ledger()).toHaveLength(100);
      expect(new Set(subject.control.ledger().map(({ args }) => args["text"])).size).toBe(100);
    },
  );

  it("dies after it ran a tool: the call says so and is not repeated, the next one works", slow, async () => {
    await using subject = await startSubject(row, { rules: [runAndDie({ process: 1, "params.name": "append" })] });
    await using provider = await start(subject);
    const error = await failureOf(provider.call("mcp_s_append", { text: "once" }));
    expect(error).toMatchObject({ outcome: "unknown", serverId: "s", toolName: "append" });
    await subject.revive();
    await provider.call("mcp_s_echo", { text: "after" });
    expect(subject.control.ledger().map(({ tool }) => tool)).toEqual(["append", "echo"]);
  });

  it("is told when a caller gives up, and goes on working", slow, async () => {
    await using subject = await startSubject(row, {
      rules: [{ on: "tools/call", where: { "params.name": "append" }, do: [{ type: "hold", barrier: "append" }] }],
    });
    await using provider = await start(subject);
    const abort = new AbortController();
    const given = failureOf(provider.call("mcp_s_append", { text: "x" }, { signal: abort.signal }));
    await subject.control.reached("append");
    abort.abort();
    expect(await given).toMatchObject({ code: "aborted", outcome: "unknown" });
    // In 2026-07-28 over HTTP the end of the response stream is the cancel.
    if (row.transport !== "http" || row.era === "legacy") await subject.control.occurred("notifications/cancelled");
    await provider.call("mcp_s_echo", { text: "after" });
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", inFlight: 0, waiting: 0, attempts: 1 });
    subject.control.open("append");
  });

  it(
    "is added at run time, or leaves nothing behind, and is removed with a call under way (AN-47 to AN-49)",
    slow,
    async () => {
      await using subject = await startSubject(row, {
        rules: [
          {
            on: "tools/list",
            nth: 1,
            where: { process: 1 },
            do: [{ type: "respond", message: { error: { code: -32603, message: "no" } } }],
          },
          { on: "tools/call", do: [{ type: "execute" }, { type: "hold", barrier: "call" }] },
        ],
      });
      await using provider = createProvider({ connector: createConnector() });
      expect(await failureOf(provider.addServer(subject.spec()))).toMatchObject({ code: "server_error" });
      expect([provider.serverIds(), provider.definitions(), subject.livePids()]).toEqual([[], [], []]);
      await provider.addServer(subject.spec());
      const call = failureOf(provider.call("mcp_s_echo", { text: "x" }));
      await subject.control.reached("call");
      await provider.removeServer("s");
      expect(await call).toMatchObject({ code: "server_removed", outcome: "unknown" });
      expect([provider.definitions(), subject.livePids()]).toEqual([[], []]);
    },
  );

  it("leaves nothing behind on close, with calls under way", slow, async () => {
    await using subject = await startSubject(row, {
      rules: [{ on: "tools/call", do: [{ type: "hold", barrier: "call" }] }],
    });
    const provider = await start(subject);
    const calls = [1, 2, 3].map((i) => failureOf(provider.call("mcp_s_append", { text: `${i}` })));
    await subject.control.reached("call", 3);
    await provider.close();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "closed", outcome: "unknown" });
    expect(subject.livePids()).toEqual([]);
  });
});

describe.each(transportRows.filter(({ transport }) => transport === "http"))(
  "a stream of changes over $name",
  (row) => {
    it("is opened again after it broke, and the tools are listed again", slow, async () => {
      await using subject = await startSubject(row);
      await using provider = await start(subject, { refresh: "debounced", debounce: { quietMs: 20, maxMs: 100 } });
      await subject.control.occurred("stream-opened");
      const changed = new Promise((resolve) => provider.onToolsChanged(resolve));
      await subject.control.perform([{ type: "change-tools", add: [extra] }, { type: "end-streams" }]);
      expect(await changed).toEqual({ added: ["mcp_s_extra"], removed: [], changed: [] });
      await subject.control.occurred("stream-opened", 2);
      expect(provider.statuses()[0]).toMatchObject({ state: "ready", attempts: 1 });
    });
  },
);

describe.each(transportRows.filter(({ transport }) => transport === "sse"))(
  "a stream of everything over $name",
  (row) => {
    it("is the session: without it the next call gets another one, and lists", slow, async () => {
      await using subject = await startSubject(row);
      await using provider = await start(subject);
      const down = statusOf(provider, ({ state }) => state === "down");
      await subject.control.perform([{ type: "change-tools", add: [extra] }, { type: "end-streams" }]);
      await down;
      await provider.call("mcp_s_echo", { text: "after" });
      expect(names(provider)).toContain("mcp_s_extra");
    });
  },
);

describe.each(transportRows.filter(({ transport, era }) => transport === "http" && era === "legacy"))(
  "a session over $name",
  (row) => {
    it("is renewed once for all calls that find it expired, and each runs once (EV-38, NX-19)", slow, async () => {
      await using subject = await startSubject(row);
      await using provider = await start(subject);
      await subject.control.perform([{ type: "session", change: "expire" }]);
      await Promise.all(Array.from({ length: 30 }, (_, i) => provider.call("mcp_s_append", { text: `${i}` })));
      expect(provider.statuses()[0]).toMatchObject({ state: "ready", attempts: 2 });
      expect(new Set(subject.control.ledger().map(({ args }) => args["text"])).size).toBe(30);
      expect(subject.control.ledger()).toHaveLength(30);
    });
  },
);

function statusOf(provider: McpProvider, wanted: (status: ServerStatus) => boolean): Promise<ServerStatus> {
  return new Promise((resolve) => {
    const subscription = provider.onStatusChanged((status) => {
      if (!wanted(status)) return;
      subscription();
      resolve(status);
    });
  });
}

function received({ control }: Subject, method: string): number {
  return control.trace().filter(({ direction, text }) => direction === "in" && text.includes(`"method":"${method}"`))
    .length;
}
