import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { createMemoryServer } from "./memory-server.ts";

describe("a server inside this process", () => {
  it("is connected, listed, called, followed, reconnected and closed like any other", async () => {
    const server = createMemoryServer();
    await using provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "s", ...server.transport, era: "legacy" }],
    });
    await provider.init();
    expect(await provider.call("mcp_s_echo", { text: "a" })).toMatchObject({ content: [{ text: '"a"' }] });

    const stale = new Promise<void>((resolve) => provider.onStatusChanged((status) => status.stale && resolve()));
    server.tools.add("more");
    await server.announce();
    await stale;
    await provider.call("mcp_s_echo", { text: "b" });
    expect(provider.has("mcp_s_more")).toBe(true);

    const down = new Promise<void>((resolve) => provider.onStatusChanged(({ state }) => state === "down" && resolve()));
    server.tools.delete("more");
    await server.die();
    await down;
    await Promise.all(Array.from({ length: 20 }, (_, i) => provider.call("mcp_s_echo", { text: i })));
    expect(provider.has("mcp_s_more")).toBe(false);
    expect([server.connects, server.ledger.length]).toEqual([2, 22]);
  });
});
