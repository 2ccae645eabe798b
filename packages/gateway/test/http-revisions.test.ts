import { expect, it } from "vitest";
import { envelope } from "./raw-client.ts";
import { serveTools } from "./static-world.ts";

it.each([
  ["header and body name the same one", "2099-01-01", -32_022],
  ["there is no header", undefined, -32_022],
  ["the header names another one", "2026-07-28", -32_020],
])("a revision that is not spoken here, where %s", async (_where, revision, code) => {
  const { gateway } = serveTools([]);
  const handler = gateway.http({ auth: "none" });
  const _meta = { ...envelope(), "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const request = new Request("http://127.0.0.1:7777/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-method": "tools/list",
      ...(revision !== undefined && { "mcp-protocol-version": revision }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }),
  });
  const response = await handler.fetch(request);
  expect([response.status, await response.json()]).toMatchObject([400, { id: 1, error: { code } }]);
  await handler.close();
});
