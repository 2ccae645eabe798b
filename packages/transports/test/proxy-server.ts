import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** A proxy on a free loopback port, for HTTP in clear text and for tunnels. */
export interface ProxyServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What it was asked for: a method and a whole URL, or `CONNECT` and an authority. */
  readonly asked: readonly string[];
}

/** What a proxy does. */
export interface ProxyServerInit {
  /** Where every name leads. */
  readonly port: number;
  /** `user:password`, which it wants to see. Default: nothing. */
  readonly credentials?: string;
  /** It takes connections, and never answers. */
  readonly hangs?: boolean;
}

/** Starts one. Whatever it is asked for is on this machine. */
export async function startProxy({ port, credentials, hangs = false }: ProxyServerInit): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (hangs) return;
    const { "proxy-authorization": given, ...headers } = incoming.headers;
    if (given !== wanted) return void response.writeHead(407).end("who are you?");
    const { pathname } = new URL(incoming.url ?? "");
    const outgoing = request({ port, host: "127.0.0.1", path: pathname, method: incoming.method, headers });
    outgoing.on("response", (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connect", (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (hangs) return;
    if (incoming.headers["proxy-authorization"] !== wanted)
      return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    const there = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    there.pipe(socket).pipe(there);
    for (const end of [there, socket]) end.on("error", () => [there, socket].map((it) => it.destroy()));
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
