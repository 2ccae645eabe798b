import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A server on loopback. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/**
 * Puts something with the shape of a `fetch` behind a socket. What it throws, and a body that
 * fails, cut the connection.
 */
export async function listen(answer: (url: string, init: RequestInit) => Promise<Response>): Promise<Listening> {
  const server = createServer((request, response) => {
    reply(request, response, answer).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (url: string, init: RequestInit) => Promise<Response>,
): Promise<void> {
  const { method = "GET", headers } = request;
  const body = await text(request);
  const plain = Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  const made = await answer("", { method, headers: Object.fromEntries(plain), body });
  response.writeHead(made.status, Object.fromEntries(made.headers));
  response.flushHeaders();
  for await (const chunk of made.body ?? []) response.write(chunk);
  response.end();
}
