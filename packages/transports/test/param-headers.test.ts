import type { JsonObject } from "@hostside/core";
import { expect, it, vi } from "vitest";
import { connect } from "../src/index.ts";
import { reply, startLoopback, type LoopbackServer } from "./loopback-server.ts";

const region = { type: "string", "x-mcp-header": "Region" };
const tools = [
  { name: "good", inputSchema: { type: "object", properties: { region } } },
  { name: "bad", inputSchema: { type: "object", properties: { region: { ...region, "x-mcp-header": "two words" } } } },
];

it("mirrors declared arguments in headers, and leaves out a tool that declares them wrongly, on 2026-07-28 over HTTP", async () => {
  await using server = await startModern();
  const connection = await connect({ id: "srv", type: "http", url: server.url });
  const listing = await connection.listTools();
  expect(listing.tools.map(({ name }) => name)).toEqual(["good"]);
  expect(listing.dropped).toEqual([{ name: "bad", reason: "x-mcp-header of region is no header name" }]);
  await connection.callTool("good", { region: "Zürich" });
  await connection.callTool("good", { region: null });
  await connection.close();
  const calls = server.seen.filter(({ message }) => message["method"] === "tools/call");
  expect(calls.map(({ headers }) => headers["mcp-param-region"])).toEqual(["=?base64?WsO8cmljaA==?=", undefined]);
  expect(calls[0]?.headers).toMatchObject({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "good",
  });
});

it("says that the tools changed when the server wants other headers than its last listing declared", async () => {
  await using server = await startModern();
  const onToolsChanged = vi.fn<() => void>();
  const connection = await connect({ id: "srv", type: "http", url: server.url }, { onToolsChanged });
  const call = connection.callTool("mismatch", { region: "eu" });
  await expect(call).rejects.toMatchObject({ outcome: "failed", retryable: true, details: { rpcCode: -32_020 } });
  expect(onToolsChanged).toHaveBeenCalled();
  // Listed once more. With the same headers as before it may have run, and is not sent again.
  expect(server.methods().slice(1)).toEqual(["tools/call", "tools/list"]);
  await connection.close();
});

it("carries revision, client and capabilities in the _meta of each request of 2026-07-28, and nothing that is not offered", async () => {
  await using server = await startModern();
  const connection = await connect(
    { id: "srv", type: "http", url: server.url },
    { clientInfo: { name: "host", version: "7" }, onElicit: async () => ({ action: "decline" }) },
  );
  await connection.listTools();
  await connection.close();
  expect(server.methods()).toEqual(["server/discover", "tools/list"]);
  for (const { message } of server.seen) {
    expect((message["params"] as JsonObject)["_meta"]).toEqual({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "host", version: "7" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
    });
  }
});

function startModern(): Promise<LoopbackServer> {
  return startLoopback(({ message, headers }, response) => {
    const { id } = message;
    const method = typeof message["method"] === "string" ? message["method"] : "";
    const cached = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const results: Record<string, JsonObject> = {
      "server/discover": { ...cached, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      "tools/list": { ...cached, tools },
      "tools/call": { resultType: "complete", content: [] },
    };
    if (headers["mcp-name"] === "mismatch") {
      const error = { code: -32_020, message: "Mcp-Param-Region is missing" };
      return reply(response, 400, { jsonrpc: "2.0", id, error });
    }
    reply(response, 200, { jsonrpc: "2.0", id, result: results[method] });
  });
}
