import { startHttpFixture, type RunningServer } from "@hostside/fixtures";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { afterEach, describe, expect, it } from "vitest";
import { startRecordingProxy, type RecordingProxy } from "./recording-proxy.ts";

const ttlMs = 60_000;
const started: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

describe("the first that is sent from a saved catalogue", () => {
  it("is the call itself, to a server of 2026-07-28 whose listing still holds", async () => {
    await using proxy = await startRecordingProxy(await start("modern-http", { ttlMs }));
    const savedCatalog = await listed(proxy);
    await using provider = providerOf(proxy, savedCatalog);
    await provider.init();
    expect(proxy.seen).toEqual([]);
    const [selected] = provider.tools(["mcp_s_echo"]);
    expect(await provider.call("mcp_s_echo", { text: "hello" }, { selected })).toMatchObject({
      content: [{ text: "hello" }],
    });
    expect(proxy.seen[0]).toBe("tools/call");
    await expect.poll(() => proxy.seen).toEqual(["tools/call", "subscriptions/listen"]);
    expect(provider.statuses()).toMatchObject([{ state: "ready", stale: false, server: { name: "modern-fixture" } }]);
  });

  it.each([
    ["whose listing holds for no time", {}, ["server/discover", "subscriptions/listen", "tools/list", "tools/call"]],
    [
      "of earlier revisions",
      "legacy-http",
      ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"],
    ],
  ] as const)("is the handshake and the listing, to a server %s", async (_what, server, expected) => {
    await using proxy = await startRecordingProxy(await start(server === "legacy-http" ? server : "modern-http"));
    const savedCatalog = await listed(proxy);
    await using provider = providerOf(proxy, savedCatalog);
    await provider.init();
    expect(proxy.seen).toEqual([]);
    await provider.call("mcp_s_echo", { text: "hello" });
    expect(proxy.seen.filter((method) => method !== "GET")).toEqual(expected);
  });

  it("is refused by a server that was replaced by one of earlier revisions, and sent once more after a handshake", async () => {
    await using proxy = await startRecordingProxy(await start("modern-http", { ttlMs }));
    const savedCatalog = await listed(proxy);
    proxy.target = await start("legacy-http");
    await using provider = providerOf(proxy, savedCatalog);
    const calls = ["one", "two"].map((text) => provider.call("mcp_s_echo", { text }));
    expect(await Promise.all(calls)).toMatchObject([{ content: [{ text: "one" }] }, { content: [{ text: "two" }] }]);
    const seen = proxy.seen.filter((method) => method !== "GET");
    expect(seen.slice(0, 2)).toEqual(["tools/call", "tools/call"]);
    expect(seen.filter((method) => method === "tools/call")).toHaveLength(4);
    expect(seen.filter((method) => method === "initialize")).toHaveLength(1);
    expect(provider.statuses()).toMatchObject([{ state: "ready", failures: 0, server: { era: "legacy" } }]);
  });
});

async function start(name: "legacy-http" | "modern-http", options: { readonly ttlMs?: number } = {}): Promise<string> {
  const server = await startHttpFixture(name, options);
  started.push(server);
  return server.url;
}

function providerOf({ url }: RecordingProxy, savedCatalog?: unknown): McpProvider {
  return createProvider({
    connector: createConnector(),
    servers: [{ id: "s", type: "http", url }],
    savedCatalog,
  });
}

/** What a first process saved. */
async function listed(proxy: RecordingProxy): Promise<unknown> {
  const provider = providerOf(proxy);
  await provider.refresh();
  const saved = JSON.stringify(provider.savedCatalog());
  await provider.close();
  proxy.seen.length = 0;
  return JSON.parse(saved) as unknown;
}
