import { createHost } from "hostside";
import { expect, it } from "vitest";
import { startAnswering } from "./answering-server.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
it.each([
  ["has no stream for them", -32_601],
  ["fails to open one", -32_603],
])("lists again, when its time is over, a server that announces changes and %s", async (_what, code) => {
  let listings = 0;
  const done = { resultType: "complete" };
  const url = await startAnswering(({ method }) => {
    const capabilities = { tools: { listChanged: true } };
    if (method === "server/discover") return { result: { ...done, supportedVersions: ["2026-07-28"], capabilities } };
    if (method === "subscriptions/listen") return { error: { code, message: "no" } };
    if (method === "tools/call") return { result: { ...done, content: [] } };
    listings += 1;
    const names = ["say", ...(listings > 1 ? ["new"] : [])];
    const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    return { result: { ...done, tools, ttlMs: 60_000, cacheScope: "public" } };
  });
  let laterMs = 0;
  useTestClock({ now: () => performance.now() + laterMs });
  await using host = await createHost({ servers: { s: { url } } });
  await host.call("mcp_s_say");
  // What the stream did not say of the time before it failed may be listed at once.
  const before = listings;
  laterMs = 61_000;
  await host.call("mcp_s_say");
  expect(listings).toBeGreaterThan(before);
  expect(await host.call("mcp_s_new")).toMatchObject({ isError: false });
});
