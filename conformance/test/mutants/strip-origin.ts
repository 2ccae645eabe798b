import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Forwards to a server without the `Origin` header, so that the server behind does not see where a
 * request comes from.
 */
export async function stripOrigin(url: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((incoming, outgoing) => {
    const { origin: _origin, ...headers } = incoming.headers;
    const forwarded = request(new URL(incoming.url ?? "", url), { method: incoming.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      // A stream may have nothing to say for a long time.
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A TCP server has one.
  const { pathname } = new URL(url);
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
