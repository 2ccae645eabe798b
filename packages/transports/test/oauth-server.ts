import type { OAuthClientProvider, OAuthTokens } from "@modelcontextprotocol/client";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An MCP server that wants a bearer token, and the authorization server that gives it, at one
 * address.
 */
export interface OAuthServer extends AsyncDisposable {
  readonly url: string;
  /** What reached the token endpoint. */
  readonly grants: readonly URLSearchParams[];
  /** The bearer tokens that came with POSTs to the MCP server, in order. */
  readonly bearers: readonly (string | undefined)[];
  /** Everything that was asked for, as method and path. */
  readonly paths: readonly string[];
}

/** How it behaves. */
export interface OAuthServerInit {
  /** Says what is wrong with a token; `undefined` for one that will do. */
  readonly refuse: (token: string | undefined, request: IncomingMessage) => Refusal | undefined;
  /** Answers a token request. Default: access tokens `granted-1`, `granted-2`, … */
  readonly grant?: (
    parameters: URLSearchParams,
    count: number,
  ) => { readonly status: number; readonly body: object; readonly headers?: Readonly<Record<string, string>> };
  /** Members of the authorization server's metadata that differ. */
  readonly metadata?: object;
  /** The authorization servers that the resource names. Default: this one. */
  readonly authorizationServers?: (origin: string) => readonly string[];
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly challenge?: string;
}

/** Starts one. The MCP side answers every request with an empty result. */
export async function startOAuthServer(init: OAuthServerInit): Promise<OAuthServer> {
  const { refuse, grant = grantInTurn, authorizationServers = (own: string) => [own] } = init;
  const grants: URLSearchParams[] = [];
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
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, 200, {
          resource: `${origin()}/mcp`,
          authorization_servers: authorizationServers(origin()),
        });
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, { ...metadata(origin()), ...init.metadata });
      case "/register":
        return json(response, 201, { ...JSON.parse(asked.body), client_id: "registered" });
      case "/token": {
        const parameters = new URLSearchParams(asked.body);
        grants.push(parameters);
        const { status, body, headers = {} } = grant(parameters, grants.length);
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        return json(response, status, body);
      }
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
    grants,
    bearers,
    paths,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A provider that keeps everything in memory. */
export interface MemoryProvider extends OAuthClientProvider {
  /** The pages that the user was sent to. */
  readonly redirects: readonly URL[];
  readonly saved: readonly OAuthTokens[];
}

/** Makes one; `tokens` are what it begins with. */
export function createMemoryProvider(tokens?: OAuthTokens): MemoryProvider {
  const redirects: URL[] = [];
  const saved: OAuthTokens[] = tokens === undefined ? [] : [tokens];
  let client: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let verifier = "";
  let discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
  return {
    redirects,
    saved,
    redirectUrl: "http://127.0.0.1:9/callback",
    clientMetadata: { redirect_uris: ["http://127.0.0.1:9/callback"], client_name: "test" },
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => saved.at(-1),
    saveTokens: (latest) => void saved.push(latest),
    redirectToAuthorization: (url) => void redirects.push(url),
    saveCodeVerifier: (value) => void (verifier = value),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovery = state),
    discoveryState: () => discovery,
  };
}

function grantInTurn(_parameters: URLSearchParams, count: number): ReturnType<NonNullable<OAuthServerInit["grant"]>> {
  return {
    status: 200,
    body: { access_token: `granted-${count}`, token_type: "Bearer", refresh_token: `refresh-${count}` },
  };
}

function resultFor(body: string): object {
  return body === "" ? {} : { jsonrpc: "2.0", id: JSON.parse(body).id, result: {} };
}

function metadata(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
