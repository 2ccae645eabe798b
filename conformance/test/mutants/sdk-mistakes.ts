import { setTimeout as delay } from "node:timers/promises";
import { listenOnLoopback, type RunningServer } from "@hostside/fixtures";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as z from "zod";

function createServer(onAbort: () => void = () => {}): McpServer {
  const server = new McpServer({ name: "mistaken", version: "1.0.0" });
  const annotations = { readOnlyHint: true };
  server.registerTool(
    "echo",
    { description: "Returns the text it is given.", inputSchema: { text: z.string() }, annotations },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  server.registerTool(
    "wait",
    { description: "Takes its time.", inputSchema: {}, annotations },
    async (_, { signal }) => {
      signal.addEventListener("abort", onAbort);
      await delay(700);
      signal.removeEventListener("abort", onAbort);
      return { content: [{ type: "text", text: "done" }] };
    },
  );
  return server;
}

/** One `McpServer` for all requests, which each request connects anew. */
export async function serveShared(): Promise<RunningServer> {
  const server = createServer();
  return listenOnLoopback(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const transport = new StreamableHTTPServerTransport({});
    await server.close();
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** Ends, as of an exception that nobody catches, when a client leaves while a tool runs. */
export async function serveUntilLeft(): Promise<RunningServer> {
  const running = await listenOnLoopback(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const server = createServer(() => void running.close());
    const transport = new StreamableHTTPServerTransport({});
    response.once("close", () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  return running;
}
