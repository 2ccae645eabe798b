import type { AuthorizationFetch, JsonObject, ServerSpec } from "@hostside/core";

export const serverUrl = "https://mcp.example/mcp";
export const issuer = "https://as.example";
export const spec: ServerSpec = {
  id: "notes",
  title: "Notes",
  type: "http",
  url: serverUrl,
  auth: "oauth",
};
export const metadataUrl = `${issuer}/.well-known/oauth-authorization-server`;
export const resourceUrl = "https://mcp.example/.well-known/oauth-protected-resource/mcp";

/** A request as a server sees it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Of a form. */
  readonly form: URLSearchParams;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

export type Route = (request: SeenRequest) => Promise<Response> | Response;

/** An MCP server and its authorization server, as one `fetch`. */
export interface FakeServers {
  readonly fetch: AuthorizationFetch;
  /** By `"GET https://…"`, without the query. To be changed at will; what is not there is a 404. */
  readonly routes: Map<string, Route>;
  readonly requests: SeenRequest[];
  /** How often this was asked for. */
  count(route: string): number;
  /**
   * What a user who agrees is sent back to. `members`: put over the parameters of the answer,
   * `undefined` leaves one out.
   */
  visit(page: URL, members?: Readonly<Record<string, string | undefined>>): URL;
}

interface Granted {
  readonly challenge: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string | null;
  readonly scope: string | null;
}

/** The metadata of the fake authorization server, with changes. */
export function metadataOf(changes: JsonObject = {}): JsonObject {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    ...changes,
  };
}

/** Makes the two, in good order: they check what they are sent, as real ones do. */
export function createFakeServers(changes: JsonObject = {}): FakeServers {
  const requests: SeenRequest[] = [];
  const codes = new Map<string, Granted>();
  let clients = 0;
  const routes = new Map<string, Route>([
    [`GET ${resourceUrl}`, () => Response.json({ resource: serverUrl, authorization_servers: [issuer] })],
    [`GET ${metadataUrl}`, () => Response.json(metadataOf(changes))],
    [
      `POST ${issuer}/register`,
      ({ body }) => {
        clients += 1;
        return Response.json({ ...JSON.parse(body), client_id: `client-${clients}` }, { status: 201 });
      },
    ],
    [
      `POST ${issuer}/token`,
      async ({ form }) => {
        const code = form.get("code") ?? "";
        const granted = codes.get(code);
        codes.delete(code);
        const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(form.get("code_verifier") ?? ""));
        const isGood =
          granted?.challenge === Buffer.from(digest).toString("base64url") &&
          granted.redirectUri === form.get("redirect_uri") &&
          granted.clientId === form.get("client_id") &&
          granted.resource === form.get("resource");
        if (!isGood) return Response.json({ error: "invalid_grant" }, { status: 400 });
        return Response.json({
          access_token: `access-${code}`,
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: `refresh-${code}`,
          ...(granted.scope !== null && { scope: granted.scope }),
        });
      },
    ],
  ]);
  return {
    routes,
    requests,
    count: (route) => requests.filter(({ method, url }) => `${method} ${url.origin}${url.pathname}` === route).length,
    async fetch(target, { method = "GET", headers, body, signal } = {}) {
      const url = new URL(target);
      const text = typeof body === "string" || body instanceof URLSearchParams ? String(body) : "";
      const request = {
        method,
        url,
        headers: new Headers(headers),
        body: text,
        form: new URLSearchParams(text),
        signal: signal ?? undefined,
      };
      requests.push(request);
      const route = routes.get(`${method} ${url.origin}${url.pathname}`);
      return route === undefined ? new Response("no such page", { status: 404 }) : route(request);
    },
    visit(page, members = {}) {
      const asked = page.searchParams;
      const code = `code-${codes.size + 1}-${asked.get("state")?.slice(0, 6)}`;
      codes.set(code, {
        challenge: asked.get("code_challenge") ?? "",
        clientId: asked.get("client_id") ?? "",
        redirectUri: asked.get("redirect_uri") ?? "",
        resource: asked.get("resource"),
        scope: asked.get("scope"),
      });
      const back = new URL(asked.get("redirect_uri") ?? "");
      for (const [name, value] of Object.entries({ code, state: asked.get("state") ?? "", ...members })) {
        if (value !== undefined) back.searchParams.set(name, value);
      }
      return back;
    },
  };
}
