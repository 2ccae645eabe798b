import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryTransportV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ServerSpec } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connect } from "../src/index.ts";

const echo = ({ text }: { text: string }) => ({ content: [{ type: "text" as const, text }] });

const createV1 = () => {
  const server = new McpServerV1({ name: "one", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: { text: z.string() } }, echo);
  return server;
};

const createV2 = () => {
  const server = new McpServer({ name: "two", version: "2.0.0" });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, echo);
  return server;
};

const openTransportV1 = async () => {
  const [near, far] = InMemoryTransportV1.createLinkedPair();
  await createV1().connect(far);
  return near;
};

const openTransportV2 = () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(createV2, { transport: far });
  return near;
};

const openClientV1 = async () => {
  const client = new ClientV1({ name: "mine", version: "1.0.0" });
  await client.connect(await openTransportV1());
  return client;
};

const openClientV2 = async () => {
  const client = new Client({ name: "mine", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(openTransportV2());
  return client;
};

describe("connect() with a part of one's own (AD-16)", () => {
  it.each([
    { name: "a v1 transport", open: openTransportV1, era: "legacy", protocolVersion: "2025-11-25" },
    { name: "a v2 transport", open: openTransportV2, era: "modern", protocolVersion: "2026-07-28" },
    { name: "a connected v1 client", open: openClientV1, era: "legacy", protocolVersion: "unknown" },
    { name: "a connected v2 client", open: openClientV2, era: "modern", protocolVersion: "2026-07-28" },
  ])("lists and calls over $name", async ({ open, era, protocolVersion }) => {
    const connection = await connect(custom(open));
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

function custom(open: () => unknown): ServerSpec {
  return { id: "own", transport: { kind: "custom", open } };
}
