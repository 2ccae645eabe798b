import { createConnector } from "@hostside/transports";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";
import { describeLifecycle, statusOf } from "./lifecycle-scenarios.ts";
import { startSubject, transportRows, type Subject } from "./transport-rows.ts";

const slow = { timeout: 60_000 };
const extra = { name: "extra", inputSchema: { type: "object" } };
const announce = [
  { type: "change-tools", add: [extra] },
  { type: "send", message: { method: "notifications/tools/list_changed" } },
] as const;
async function start(subject: Subject, options: Partial<ProviderOptions> = {}): Promise<McpProvider> {
  const provider = createProvider({ connector: createConnector(), servers: [subject.spec()], ...options });
  await provider.init();
  return provider;
}

const names = (provider: McpProvider): readonly string[] => provider.tools().map(({ name }) => name);

describeLifecycle(transportRows, async (subject, options) => {
  const provider = await start(subject, options);
  return { provider, upstream: provider, failureOf, [Symbol.asyncDispose]: () => provider.close() };
});

describe.each(transportRows)("a server over $name", (row) => {
  it("is connected, listed and called", slow, async () => {
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

  it("announces a change, and the next call lists, once for all who race", slow, async () => {
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

  it("is added at run time, or leaves nothing behind, and is removed with a call under way", slow, async () => {
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
    expect([provider.serverIds(), provider.tools(), subject.livePids()]).toEqual([[], [], []]);
    await provider.addServer(subject.spec());
    const call = failureOf(provider.call("mcp_s_echo", { text: "x" }));
    await subject.control.reached("call");
    await provider.removeServer("s");
    expect(await call).toMatchObject({ code: "server_removed", outcome: "unknown" });
    expect([provider.tools(), subject.livePids()]).toEqual([[], []]);
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
    it("is renewed once for all calls that find it expired, and each runs once", slow, async () => {
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

function received({ control }: Subject, method: string): number {
  return control.trace().filter(({ direction, text }) => direction === "in" && text.includes(`"method":"${method}"`))
    .length;
}
