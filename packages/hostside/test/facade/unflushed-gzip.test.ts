import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { createHost } from "hostside";
import { expect, it } from "vitest";

it("calls a server whose middleware compresses streams and does not flush them", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(request.headers["accept-encoding"]);
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      if (id === undefined) return response.writeHead(202).end();
      const capabilities = { tools: {} };
      const initialized = { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "s", version: "1" } };
      const listed = { tools: [{ name: "say", inputSchema: { type: "object" } }] };
      const called = { content: [{ type: "text", text: "hello" }] };
      const result = method === "initialize" ? initialized : method === "tools/list" ? listed : called;
      const event = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;
      const head = { "content-type": "text/event-stream" };
      if (!request.headers["accept-encoding"]?.includes("gzip")) return response.writeHead(200, head).end(event);
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { ...head, "content-encoding": "gzip" }));
      // Neither flushed nor ended.
      return gzip.write(event);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const spec = { url: `http://127.0.0.1:${port}/mcp`, era: "legacy" as const };
  await using host = await createHost({ servers: { s: spec } });
  expect(await host.call("mcp_s_say")).toMatchObject({ content: [{ type: "text", text: "hello" }] });
  expect(new Set(asked)).toEqual(new Set(["identity"]));
  server.close();
  server.closeAllConnections();
});
