import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/**
 * A legacy server over HTTP that notes what it gets, and never answers a call of the tool "never".
 */
export interface RecordingServer {
  readonly url: string;
  /** Each POST. */
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** What the next POST is answered with, instead of what it would be. */
  answerNext: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

/** Starts one on a free loopback port. */
export async function startRecordingServer(): Promise<RecordingServer> {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const http = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      requests.push({ headers: request.headers, body });
      const { answerNext } = server;
      server.answerNext = undefined;
      if (answerNext !== undefined) return void response.writeHead(answerNext.status).end(answerNext.body);
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } };
      if (params?.name === "never") return;
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answerTo(method) }));
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const server: RecordingServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    requests,
    answerNext: undefined,
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
  return server;
}

function answerTo(method: string): object {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "recording", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
    case "tools/call":
      return { result: { content: [] } };
    default:
      return { error: { code: -32_601, message: "Method not found" } };
  }
}
