import type { JsonObject } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { errorOf } from "../../test/error-of.ts";
import {
  createFakeServers,
  issuer,
  metadataOf,
  metadataUrl,
  resourceUrl,
  serverUrl,
  spec,
} from "../../test/fake-servers.ts";
import type { AuthParts } from "../account.ts";
import { createAccounts } from "../create-accounts.ts";
import type { AccountOwner, SignedIn } from "../oauth.ts";
import type { ClientConfig, OAuthOptions } from "../oauth-options.ts";
import { readOAuthOptions } from "../read-oauth-options.ts";
import { saveAuthorization } from "../accounts/account-documents.ts";
import { discoverAuthorization } from "./discover-authorization.ts";
import { noteChallenge } from "./read-challenges.ts";

const root = "https://mcp.example/.well-known/oauth-protected-resource";
const other = "https://other.example";

function createWorld(config: ClientConfig = {}, options: Partial<OAuthOptions> = {}) {
  const servers = createFakeServers();
  const settings = readOAuthOptions({
    fetch: servers.fetch,
    clients: { notes: config },
    ...options,
  });
  const closing = new AbortController().signal;
  const account = createAccounts(settings, closing).accountOf(spec, undefined);
  const events = { signedIn: createEvent<SignedIn>(), signedOut: createEvent<AccountOwner>() };
  const parts = { store: settings.store, closing, unsaved: new Set<never>(), ...events } as unknown as AuthParts;
  const names = (...issuers: readonly string[]) =>
    servers.routes.set(`GET ${resourceUrl}`, () =>
      Response.json({ resource: serverUrl, authorization_servers: issuers }),
    );
  const publish = (at: string, changes: JsonObject = {}) =>
    servers.routes.set(`GET ${at}/.well-known/oauth-authorization-server`, () =>
      Response.json(metadataOf({ issuer: at, ...changes })),
    );
  const discover = (signal = closing) => discoverAuthorization(account, parts, { signal });
  return { servers, account, parts, names, publish, discover };
}

describe("discoverAuthorization()", () => {
  it("finds the issuer, the resource as it is spelled, and what the server lists", async () => {
    const { discover, servers } = createWorld();
    servers.routes.set(`GET ${resourceUrl}`, () =>
      Response.json({
        resource: "https://mcp.example",
        authorization_servers: [issuer],
        scopes_supported: ["read"],
        dpop_bound_access_tokens_required: true,
      }),
    );
    expect(await discover()).toMatchObject({
      issuer,
      metadata: { token_endpoint: `${issuer}/token` },
      resource: "https://mcp.example",
      scopes: ["read"],
      wantsDpop: true,
      isPublished: true,
    });
  });

  it("tells the server its protocol revision, and the authorization server nothing of it", async () => {
    const { discover, servers } = createWorld();
    await discover();
    const said = servers.requests.map(({ url, headers }) => [url.origin, headers.get("mcp-protocol-version")]);
    expect(said).toEqual([
      ["https://mcp.example", "2025-11-25"],
      [issuer, null],
    ]);
  });

  it("asks once more without the revision where the server answers it with 400", async () => {
    const { discover, servers } = createWorld();
    servers.routes.set(`GET ${resourceUrl}`, ({ headers }) =>
      headers.has("mcp-protocol-version")
        ? new Response("Unsupported protocol version", { status: 400 })
        : Response.json({ resource: serverUrl, authorization_servers: [issuer], scopes_supported: ["read"] }),
    );
    expect(await discover()).toMatchObject({ issuer, scopes: ["read"] });
    expect(servers.count(`GET ${resourceUrl}`)).toBe(2);
    servers.routes.set(`GET ${resourceUrl}`, () => new Response("", { status: 400 }));
    servers.routes.set(`GET ${root}`, () => new Response("", { status: 400 }));
    await discover();
    expect([servers.count(`GET ${resourceUrl}`), servers.count(`GET ${root}`)]).toEqual([4, 2]);
  });

  it.each([
    ["is a page for people on every path", () => new Response("<html>")],
    ["is not there", () => new Response("", { status: 404 })],
    ["redirects", () => new Response("", { status: 302, headers: { location: "https://evil.example/" } })],
    ["has no URL as its resource", () => Response.json({ resource: "mcp", authorization_servers: [issuer] })],
    ["has no resource", () => Response.json({ authorization_servers: [issuer] })],
  ])("asks the root when the metadata at the path %s, and then the server's own origin", async (_, answer) => {
    const { discover, servers } = createWorld();
    servers.routes.set(`GET ${resourceUrl}`, answer);
    expect(await discover()).toEqual({
      issuer: "https://mcp.example/",
      metadata: expect.objectContaining({ token_endpoint: "https://mcp.example/token" }),
      resource: undefined,
      scopes: [],
      wantsDpop: false,
      isPublished: false,
    });
    expect(servers.requests.some(({ url }) => url.host === "evil.example")).toBe(false);
  });

  it("uses metadata of the server's own origin alone, wherever its refusal says that they are", async () => {
    const { discover, servers, account } = createWorld();
    for (const place of ["https://10.0.0.1/inside", "gopher://mcp.example/x"]) {
      noteChallenge(account, `Bearer resource_metadata="${place}"`);
      await expect(discover()).rejects.toMatchObject({
        code: "auth_required",
        message: expect.stringContaining(place),
      });
    }
    expect(servers.requests).toEqual([]);
    // A proxy with TLS in front of a server that does not know of it.
    noteChallenge(account, 'Bearer resource_metadata="http://mcp.example/.well-known/oauth-protected-resource/mcp"');
    expect(await discover()).toMatchObject({ issuer });
    servers.routes.set("GET https://mcp.example/here", () =>
      Response.json({ resource: serverUrl, authorization_servers: [issuer], scopes_supported: ["here"] }),
    );
    noteChallenge(account, 'DPoP resource_metadata="https://mcp.example/here"');
    expect(await discover()).toMatchObject({ scopes: ["here"] });
  });

  it.each([
    ["about another server", "https://evil.example/mcp"],
    ["about a path beside it", "https://mcp.example/mcp2"],
  ])("refuses metadata that are %s", async (_, resource) => {
    const { discover, servers } = createWorld();
    servers.routes.set(`GET ${resourceUrl}`, () => Response.json({ resource, authorization_servers: [issuer] }));
    servers.routes.set(`GET ${root}`, () => new Response("", { status: 404 }));
    const error = await errorOf(discover());
    expect(error.message).toContain("is not this server");
    expect(servers.count(`GET ${metadataUrl}`)).toBe(0);
  });

  it.each([
    ["names another issuer", { issuer: other }, "another issuer"],
    ["has a token endpoint over http", { token_endpoint: "http://as.example/token" }, "token_endpoint"],
    [
      "has a registration endpoint of another kind",
      { registration_endpoint: "ftp://as.example/" },
      "registration_endpoint",
    ],
    ["points at this machine", { token_endpoint: "http://127.0.0.1:9/token" }, "on this machine"],
    ["points at this machine in another spelling", { token_endpoint: "https://[::1]/token" }, "on this machine"],
    ["has no token endpoint", { token_endpoint: undefined }, "cannot be used"],
  ])("refuses an authorization server whose metadata %s", async (...[, changes, text]) => {
    const { discover, publish } = createWorld();
    publish(issuer, changes);
    const error = await errorOf(discover());
    expect(error.code).toBe("auth_required");
    expect(error.message).toContain(text);
  });

  it.each(["http://as.example", "http://169.254.169.254", "http://localhost:8080", "file:///etc"])(
    "asks nothing of an authorization server at %s that a server far away names",
    async (named) => {
      const { discover, names, servers } = createWorld();
      names(named);
      expect((await errorOf(discover())).code).toBe("auth_required");
      expect(servers.requests.every(({ url }) => url.host === "mcp.example")).toBe(true);
    },
  );

  describe("of several authorization servers takes", () => {
    it("the first", async () => {
      const { discover, names, publish } = createWorld();
      publish(other);
      names(other, issuer);
      expect(await discover()).toMatchObject({ issuer: other });
    });

    it("the configured one, and none when that is not among them", async () => {
      const { discover, names, servers } = createWorld({ issuer });
      names(other, issuer);
      expect(await discover()).toMatchObject({ issuer });
      names(other);
      expect((await errorOf(discover())).message).toContain("is configured");
      expect(servers.requests.some(({ url }) => url.origin === other)).toBe(false);
    });

    it("the one whose tokens are in use", async () => {
      const { discover, names, publish, parts, account } = createWorld();
      publish(other);
      names(other, issuer);
      await saveAuthorization(parts, account, authorization);
      expect(await discover()).toMatchObject({ issuer });
    });
  });

  it("gives the secret of a client that was registered by hand to no other authorization server than the first", async () => {
    const { discover, names, publish, parts, account } = createWorld({ clientId: "me", clientSecret: "secret-of-me" });
    await saveAuthorization(parts, account, authorization);
    publish(other);
    names(other);
    expect((await errorOf(discover())).message).toContain("its client belongs to");
  });

  it.each([
    [500, "http_error"],
    [429, "rate_limited"],
  ])("takes HTTP %i for a server that is out of order, not for one without metadata", async (status, code) => {
    for (const route of [`GET ${resourceUrl}`, `GET ${metadataUrl}`]) {
      const { discover, servers } = createWorld();
      servers.routes.set(route, () => new Response("oops", { status }));
      const error = await errorOf(discover());
      expect([error.code, error.retryable]).toEqual([code, true]);
    }
  });

  it("asks the guard before each request", async () => {
    const asked: string[] = [];
    const guard = {
      checkUrl: (url: URL) => (
        asked.push(url.host),
        url.host === "as.example" ? { reason: "is evil", rule: "mine" } : undefined
      ),
      checkAddress: () => undefined,
      checkCommand: () => undefined,
    };
    const { discover, servers } = createWorld({}, { guard });
    const error = await errorOf(discover());
    expect([error.code, error.details.policy]).toEqual(["not_allowed", "mine"]);
    expect(servers.requests.map(({ url }) => url.host)).toEqual(["mcp.example"]);
  });

  it("ends with the caller's signal, and after a minute", async () => {
    const clock = useVirtualClock();
    const { discover, servers } = createWorld({});
    servers.routes.set(`GET ${resourceUrl}`, () => new Promise(() => {}));
    const caller = new AbortController();
    const first = errorOf(discover(caller.signal));
    caller.abort();
    expect((await first).code).toBe("aborted");
    const second = errorOf(discover());
    while (clock.pending < 2) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    expect((await second).code).toBe("request_timeout");
    expect(clock.pending).toBe(0);
  });
});

const authorization = {
  issuer,
  metadata: { issuer, token_endpoint: `${issuer}/token` },
  client: { clientId: "me", way: "pre-registered" },
  accessToken: "access-token",
  tokenType: "Bearer",
  obtainedAt: 1,
} as const;
