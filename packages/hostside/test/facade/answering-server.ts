import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request of a client. */
export interface AskedRequest {
  readonly method: string;
  readonly params?: { readonly capabilities?: object };
}

/**
 * Starts a server over HTTP that answers each request with a `result` or an `error`. Resolves to its
 * URL; it ends with the test.
 */
export async function startAnswering(answer: (request: Required<AskedRequest>) => object): Promise<string> {
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method, params = {} } = JSON.parse(body) as AskedRequest & { readonly id?: number };
      if (id === undefined) return response.writeHead(202).end();
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer({ method, params }) }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
