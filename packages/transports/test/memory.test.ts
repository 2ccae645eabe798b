import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Transport } from "@modelcontextprotocol/server";
import type { MemoryTransportSpec, ServerSpec } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connect } from "../src/index.ts";

const serveV1 = (transport: Transport) => {
  const server = new McpServerV1({ name: "one", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server.connect(transport);
};

const createV2 = () => {
  const server = new McpServer({ name: "two", version: "2.0.0" });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
};

const serveV2 = (transport: Transport) => createV2().connect(transport);
const serveBothEras = (transport: Transport) => serveStdio(createV2, { transport });

describe("connect() in memory", () => {
  it.each([
    { name: "a v1 server", serve: serveV1, era: "legacy", protocolVersion: "2025-11-25" },
    { name: "a v2 server on its own", serve: serveV2, era: "legacy", protocolVersion: "2025-11-25" },
    { name: "a dual-era v2 server", serve: serveBothEras, era: "modern", protocolVersion: "2026-07-28" },
  ])("lists and calls $name", async ({ serve, era, protocolVersion }) => {
    const connection = await connect(memory(serve));
    expect(connection.server).toMatchObject({ era, protocolVersion });
    const { tools } = await connection.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["echo"]);
    const result = await connection.callTool("echo", { text: "hi" });
    expect(result["content"]).toEqual([{ type: "text", text: "hi" }]);
    await connection.close();
    const call = connection.callTool("echo", { text: "hi" });
    await expect(call).rejects.toMatchObject({ code: "closed", outcome: "not-sent" });
  });
});

function memory(serve: unknown): ServerSpec {
  return { id: "mem", transport: { kind: "memory", serve: serve as MemoryTransportSpec["serve"] } };
}
