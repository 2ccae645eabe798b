import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createHost } from "hostside";
import { expect, it, onTestFinished } from "vitest";

const said = { content: [{ type: "text", text: "hello" }] };

it("answers the ping of a server of 2026-07-28 over stdio, which answers no call before", async () => {
  const program = `
    import { createInterface } from "node:readline";
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const done = { resultType: "complete" };
    const results = {
      "server/discover": { ...done, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      "tools/list": { ...done, tools: [{ name: "say", inputSchema: { type: "object" } }] },
      "tools/call": { ...done, content: [{ type: "text", text: "hello" }] },
    };
    let waiting;
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, result } = JSON.parse(line);
      if (id === "alive?" && result) send({ id: waiting, result: results["tools/call"] });
      else if (method === "tools/call") {
        waiting = id;
        send({ id: "alive?", method: "ping" });
      } else if (id !== undefined) send({ id, result: results[method] });
    }
  `;
  const s = { command: process.execPath, args: ["--input-type=module", "-e", program] };
  await using host = await createHost({ servers: { s } });
  expect(await host.call("mcp_s_say")).toMatchObject(said);
});

it("takes null for a list without tools", async () => {
  const program = `
    import { createInterface } from "node:readline";
    const results = {
      initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
      "tools/list": { tools: null },
    };
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method } = JSON.parse(line);
      const answer = method in results ? { result: results[method] } : { error: { code: -32601, message: "unknown" } };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
    }
  `;
  const s = { command: process.execPath, args: ["--input-type=module", "-e", program] };
  await using host = await createHost({ servers: { s } });
  expect(host.statuses()).toMatchObject([{ id: "s", state: "ready", toolCount: 0 }]);
});

it("lists and calls once more when a server of 2026-07-28 wants a header that it did not declare before", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      seen.push(method);
      if (id === undefined) return response.writeHead(202).end();
      const done = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
      const isUpgraded = seen.includes("tools/call");
      const owner = { type: "string", ...(isUpgraded && { "x-mcp-header": "owner" }) };
      const results: Record<string, object> = {
        "server/discover": { ...done, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
        "tools/list": { ...done, tools: [{ name: "say", inputSchema: { type: "object", properties: { owner } } }] },
        "tools/call": { resultType: "complete", ...said },
      };
      const isRefused = method === "tools/call" && request.headers["mcp-param-owner"] !== "ann";
      const error = { code: -32_020, message: "missing Mcp-Param-owner" };
      const answer = isRefused ? { error } : { result: results[method] };
      response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await using host = await createHost({ servers: { s: { url: `http://127.0.0.1:${port}/mcp` } } });
  expect(await host.call("mcp_s_say", { owner: "ann" })).toMatchObject(said);
  expect(seen.filter((method) => method === "tools/call")).toHaveLength(2);
  server.close();
});

it.each(["initialize", "tools/list"])("waits as long as a server wants that has no time for %s yet", async (busy) => {
  const refused: number[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      if (id === undefined) return response.writeHead(202).end();
      if (method === busy && refused.length < 2) {
        refused.push(performance.now());
        return response.writeHead(429, { "retry-after": "1" }).end();
      }
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        },
        "tools/list": { tools: [{ name: "say", inputSchema: { type: "object" } }] },
        "tools/call": said,
      };
      const answer = method in results ? { result: results[method] } : { error: { code: -32_601, message: "no" } };
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await using host = await createHost({ servers: { s: { url: `http://127.0.0.1:${port}/mcp` } } });
  expect(await host.call("mcp_s_say")).toMatchObject(said);
  expect(refused).toHaveLength(2);
});
