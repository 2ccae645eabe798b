import { InMemoryTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport as InMemoryTransportV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { MemoryEntry, ServerEntry } from "@hostside/core";
import { z } from "zod";

const identity = { name: "in-process", version: "1.0.0" };
const echo = ({ text }: { readonly text: string }) => ({ content: [{ type: "text" as const, text }] });

/** A server on version 1 of the SDK, with one tool, `echo`. */
export function createServerV1(): McpServerV1 {
  const server = new McpServerV1(identity);
  server.registerTool("echo", { inputSchema: { text: z.string() } }, echo);
  return server;
}

/** The same on version 2 of the SDK. */
export function createServerV2(): McpServer {
  const server = new McpServer(identity);
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, echo);
  return server;
}

/** A memory spec from a function that takes the `Transport` of either SDK line. */
export function memory(serve: (transport: InMemoryTransport) => unknown): MemoryEntry {
  return { type: "memory", serve };
}

type Custom = Extract<ServerEntry, { readonly type: "custom" }>;

export function custom(open: Custom["open"]): Custom {
  return { type: "custom", open };
}

export async function openTransportV1(): Promise<InMemoryTransportV1> {
  const [near, far] = InMemoryTransportV1.createLinkedPair();
  await createServerV1().connect(far);
  return near;
}

/** Speaks both eras. */
export function openTransportV2(): InMemoryTransport {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(createServerV2, { transport: far });
  return near;
}
