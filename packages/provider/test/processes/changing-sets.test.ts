import { startFaultServer } from "@hostside/fixtures";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";
import { startSubject, transportRows } from "./transport-rows.ts";

const slow = { timeout: 60_000 };
// Only the call that says so is held; those of the next process are not.
const rules = [
  {
    on: "tools/call",
    where: { "params.arguments.text": "held" },
    do: [{ type: "execute" }, { type: "hold", barrier: "call" }, { type: "proceed" }] as const,
  },
];

describe.each(transportRows)("a server over $name that goes while a call is under way", (row) => {
  it("finishes the call, restarts, and leaves nothing", slow, async () => {
    await using subject = await startSubject(row, { rules });
    await using provider = createProvider({ connector: createConnector(), servers: [subject.spec()] });
    await provider.init();
    const under = provider.call("mcp_s_echo", { text: "held" });
    await subject.control.reached("call");
    const applied = provider.applyServers([subject.spec({ limits: { maxPages: 7 } })], { drainMs: 30_000 });
    subject.control.open("call");
    expect(await under).toMatchObject({ isError: false });
    expect(await applied).toMatchObject({ updated: ["s"], failed: [] });
    expect(await provider.call("mcp_s_echo", { text: "next" })).toMatchObject({ isError: false });
    expect(subject.livePids().length).toBeLessThanOrEqual(1);
    expect(await provider.applyServers([])).toMatchObject({ removed: ["s"] });
    expect(subject.livePids()).toEqual([]);
    expect(subject.control.ledger().map(({ args }) => args["text"])).toEqual(["held", "next"]);
  });

  it("cuts what does not finish in time", slow, async () => {
    await using subject = await startSubject(row, { rules });
    await using provider = createProvider({ connector: createConnector(), servers: [subject.spec()] });
    await provider.init();
    const under = failureOf(provider.call("mcp_s_echo", { text: "held" }));
    await subject.control.reached("call");
    expect(await provider.removeServer("s", { drainMs: 50, reason: "gone from the file" })).toBe(true);
    expect(await under).toMatchObject({
      code: "server_removed",
      outcome: "unknown",
      rawMessage: 'server "s" was removed: gone from the file',
    });
    expect(subject.livePids()).toEqual([]);
    subject.control.open("call");
  });
});

describe("a server over HTTP that is busy for a moment", () => {
  it.each([503, 429])("is added all the same: HTTP %i", slow, async (status) => {
    const busy = { on: "POST", do: [{ type: "http", status }] } as const;
    await using server = await startFaultServer({
      transport: "http",
      runIn: "process",
      script: {
        era: "legacy",
        rules: [
          { ...busy, nth: 1 },
          { ...busy, nth: 2 },
        ],
      },
    });
    await using provider = createProvider({ connector: createConnector() });
    await provider.addServer({ id: "s", ...server.spec });
    expect(provider.tools()).toHaveLength(2);
  });
});
