import { request, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";

/** What somebody who comes to a listener is answered. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** How somebody comes to a listener, where it is not as a browser does. */
export interface Visit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Path and query as they are written, in place of those of the URL. */
  readonly target?: string;
}

/** Comes to a listener. Rejects when nobody listens, or nobody answers. */
export function visit(url: string, { method = "GET", headers = {}, target }: Visit = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method, headers, agent: false, ...(target !== undefined && { path: target }) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

/** Opens a connection and sends what is given, if anything; then nothing more. */
export function openSocket(url: string, text = ""): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on("error", reject);
  });
}
