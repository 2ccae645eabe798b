import type { JsonObject } from "@hostside/core";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request that reached a {@linkcode LoopbackServer}. */
export interface SeenRequest {
  readonly httpMethod: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC message, `{}` for a request without a body. */
  readonly message: JsonObject;
}

/**
 * An HTTP server on a free loopback port that answers as the test says, and keeps what reached it.
 */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /**
   * What was asked for, in order: JSON-RPC methods, or the HTTP method of a request without one.
   */
  methods(): readonly string[];
}

/** Starts one. */
export async function startLoopback(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): Promise<LoopbackServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const each = {
        httpMethod: request.method ?? "",
        headers: request.headers,
        message: body === "" ? {} : JSON.parse(body),
      };
      seen.push(each);
      answer(each, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    methods: () =>
      seen.map(({ httpMethod, message }) => (typeof message["method"] === "string" ? message["method"] : httpMethod)),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with a status, and with JSON if there is any. */
export function reply(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, body && { "content-type": "application/json" });
  response.end(body && JSON.stringify(body));
}

/**
 * What a well-behaved legacy server without sessions answers; `undefined` for what is not its
 * business.
 */
export function legacyResult({ message }: SeenRequest): JsonObject | undefined {
  switch (message["method"]) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "loopback", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [] };
    default:
      return undefined;
  }
}

/**
 * Answers as a legacy server does over HTTP: with a result, 202 to notifications, 405 to GET and
 * DELETE, 400 to the unknown.
 */
export function replyAsLegacy(request: SeenRequest, response: ServerResponse): void {
  const { httpMethod, message } = request;
  const result = legacyResult(request);
  if (httpMethod !== "POST") reply(response, 405);
  else if (message["id"] === undefined) reply(response, 202);
  else if (result !== undefined) reply(response, 200, { jsonrpc: "2.0", id: message["id"], result });
  else reply(response, 400, { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "Bad Request" } });
}
