import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An MCP server that wants a bearer token. */
export interface OAuthServer extends AsyncDisposable {
  readonly url: string;
  /** The bearer tokens that came with POSTs to the MCP server, in order. */
  readonly bearers: readonly (string | undefined)[];
  /** Everything that was asked for, as method and path. */
  readonly paths: readonly string[];
}

/** How it behaves. */
export interface OAuthServerInit {
  /** Says what is wrong with a token; `undefined` for one that will do. */
  readonly refuse: (token: string | undefined, request: IncomingMessage) => Refusal | undefined;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly challenge?: string;
}

/** Starts one. The MCP side answers every request with an empty result. */
export async function startOAuthServer(init: OAuthServerInit): Promise<OAuthServer> {
  const { refuse } = init;
  const bearers: (string | undefined)[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "", origin());
      paths.push(`${request.method} ${pathname}`);
      answer(request, response, { pathname, body: Buffer.concat(chunks).toString() });
    });
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    asked: { pathname: string; body: string },
  ): void => {
    switch (asked.pathname) {
      case "/mcp": {
        const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1];
        if (request.method === "POST") bearers.push(token);
        const refusal = refuse(token, request);
        if (refusal === undefined) return json(response, 200, resultFor(asked.body));
        if (refusal.challenge !== undefined) response.setHeader("www-authenticate", refusal.challenge);
        return json(response, refusal.status, {});
      }
      default:
        return json(response, 404, {});
    }
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `${origin()}/mcp`,
    bearers,
    paths,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function resultFor(body: string): object {
  return body === "" ? {} : { jsonrpc: "2.0", id: JSON.parse(body).id, result: {} };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
