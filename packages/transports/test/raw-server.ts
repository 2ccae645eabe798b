import { createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP server on a free loopback port, for answers that no HTTP library would give. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The HTTP requests that arrived, head and body, as text. */
  readonly requests: readonly string[];
  /** Connections that were ever made. */
  readonly connections: number;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
}

/** Starts one. `answer` gets each complete request and writes to the socket what it likes. */
export async function startRaw(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    // Resets are what these tests are about.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
    // One character per byte, so that lengths are in bytes.
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = endOfRequest(text); end !== undefined; end = endOfRequest(text)) {
        const request = Buffer.from(text.slice(0, end), "latin1").toString();
        text = text.slice(end);
        requests.push(request);
        answer(socket, request);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    get connections() {
      return connections;
    },
    allClosed: () =>
      sockets.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The bytes of an HTTP answer with a body of known length. */
export function httpAnswer(body: string, headers = "content-type: application/json", status = "200 OK"): string {
  return `HTTP/1.1 ${status}\r\n${headers}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function endOfRequest(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : undefined;
}
