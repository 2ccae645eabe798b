import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * How streams are odd: every message goes to the one that was opened last, or their ids are numbers
 * from 1.
 */
export type OddStreams = "newest" | "short-ids";

/** In front of a server over HTTP+SSE: makes its streams odd. */
export async function withOddStreams(
  url: string,
  odd: OddStreams,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const responses: ServerResponse[] = [];
  const endpoints = new Map<string, string>();
  const stopped = new AbortController();
  const { origin, pathname } = new URL(url);
  const forward = async (incoming: IncomingMessage): Promise<Response> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { url: path = "", headers: sent } = incoming;
    const headers = { "content-type": "application/json", ...(sent.origin !== undefined && { origin: sent.origin }) };
    const at = new URL(endpoints.get(path) ?? path, origin);
    return fetch(at, { method: "POST", headers, body: Buffer.concat(chunks) });
  };
  const shorten = (chunk: Uint8Array): string => {
    const path = /data: (.+)\n/.exec(Buffer.from(chunk).toString())?.[1] ?? "";
    const short = odd === "short-ids" ? `/streams/${endpoints.size + 1}` : path;
    endpoints.set(short, path);
    return `event: endpoint\ndata: ${short}\n\n`;
  };
  const stream = async (response: ServerResponse): Promise<void> => {
    const { body, status } = await fetch(url, { signal: stopped.signal });
    response.writeHead(status, { "content-type": "text/event-stream" });
    let first = true;
    for await (const chunk of body ?? []) {
      // Only the first event is for this client alone: it names its endpoint.
      if (first) responses.push(response);
      const to = odd === "newest" ? responses.at(-1) : response;
      if (first) response.write(shorten(chunk));
      else to?.write(chunk);
      first = false;
    }
  };
  const server = createServer((incoming, response) => {
    if (incoming.method === "GET") return void stream(response).catch(() => response.destroy());
    void forward(incoming).then(({ status }) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A TCP server has one.
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
