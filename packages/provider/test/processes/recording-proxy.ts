import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands before a server, notes what it is asked for, and can be pointed at another one. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** Methods of JSON-RPC, in order; the HTTP method of a request without a message. */
  readonly seen: string[];
  /** Where requests go from now on. */
  target: string;
}

/** Starts one on a free loopback port. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const { method = "" } = body.length === 0 ? request : (JSON.parse(body.toString()) as { method?: string });
      seen.push(method);
      const { host: _host, ...headers } = request.headers;
      const onward = send(proxy.target, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        response.on("close", () => answer.destroy());
      });
      onward.on("error", () => response.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const proxy: RecordingProxy = {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    target,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
