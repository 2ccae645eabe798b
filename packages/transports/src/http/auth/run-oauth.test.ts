import type { OAuthTokens } from "@modelcontextprotocol/client";
import { HostsideError, type ServerSpec } from "@hostside/core";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createManualClock } from "../../../../../test/manual-clock.ts";
import {
  createMemoryProvider,
  startOAuthServer,
  type MemoryProvider,
  type OAuthServer,
  type OAuthServerInit,
} from "../../../test/oauth-server.ts";
import { openHttpTransport, thrownBy, type OpenedHttp, type OpenHttpInit } from "../../../test/open-http-transport.ts";
import type { AuthorizationProvider } from "./authorization-provider.ts";
import { clearHttpCredentials, finishHttpAuthorization } from "../open-http.ts";

const refuseAll: OAuthServerInit["refuse"] = () => ({ status: 401 });
const refuseUnless =
  (good: string): OAuthServerInit["refuse"] =>
  (token) =>
    token === good ? undefined : { status: 401 };
const tokensOf = (server: OAuthServer): OAuthTokens & { issuer: string } => ({
  access_token: "stale-access-token",
  token_type: "Bearer",
  refresh_token: "refresh-token-0",
  issuer: new URL(server.url).origin,
});
const specOf = ({ url }: OAuthServer): ServerSpec => ({ id: "web", type: "http", url, auth: "oauth" });

function open(
  server: OAuthServer,
  provider: AuthorizationProvider,
  init: Partial<OpenHttpInit> = {},
): Promise<OpenedHttp> {
  return openHttpTransport({ url: server.url, transport: { auth: "oauth" }, authProvider: () => provider, ...init });
}

function finish(server: OAuthServer, provider: MemoryProvider, query: Record<string, string> = {}): Promise<void> {
  const callback = new URLSearchParams({ code: "the-secret-code", ...query });
  return finishHttpAuthorization(specOf(server), callback, { authProvider: () => provider });
}

/** A provider that forgets what the SDK found out. */
function withoutDiscovery(provider: MemoryProvider): MemoryProvider {
  return Object.assign(provider, { discoveryState: undefined, saveDiscoveryState: undefined });
}

// Nothing that is done for an authorization may be printed, least of all what a server said.
const methods = ["debug", "error", "info", "log", "warn"] as const;
const printed: unknown[] = [];
beforeEach(() => {
  printed.length = 0;
  for (const method of methods) vi.spyOn(console, method).mockImplementation((...values) => void printed.push(values));
});
afterEach(() => {
  vi.restoreAllMocks();
  if (printed.length > 0) throw new Error(`something was printed: ${JSON.stringify(printed)}`);
});

describe("without a user who waits", () => {
  it("shows no page, registers no client, and says what to do", async () => {
    await using server = await startOAuthServer({ refuse: refuseAll });
    const provider = createMemoryProvider();
    await using web = await open(server, provider, { isInteractive: false });
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code: "auth_required", details: { httpStatus: 401 } });
    expect(String(error)).toContain("refreshServer()");
    expect(provider.redirects).toEqual([]);
    expect(server.paths).not.toContain("POST /register");
  });

  it("shows no page for a client that is registered already", async () => {
    await using server = await startOAuthServer({ refuse: refuseAll });
    const provider = createMemoryProvider();
    await provider.saveClientInformation?.({ client_id: "known" });
    await using web = await open(server, provider, { isInteractive: false });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect(provider.redirects).toEqual([]);
  });

  it("redeems a refresh token all the same", async () => {
    await using server = await startOAuthServer({ refuse: refuseUnless("granted-1") });
    const provider = createMemoryProvider(tokensOf(server));
    await provider.saveClientInformation?.({ client_id: "known" });
    await using web = await open(server, provider, { isInteractive: false });
    await web.request(1);
    expect(server.grants.map((grant) => grant.get("grant_type"))).toEqual(["refresh_token"]);
  });

  it("keeps a wish for more scope until one does", async () => {
    await using server = await startOAuthServer({
      refuse: (token) =>
        token === "granted-1"
          ? undefined
          : { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' },
    });
    const provider = createMemoryProvider({ ...tokensOf(server), scope: "read" });
    await using alone = await open(server, provider, { isInteractive: false });
    expect(await thrownBy(alone.request(1))).toMatchObject({ code: "auth_required", details: { httpStatus: 403 } });
    expect(provider.redirects).toEqual([]);
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(2))).toMatchObject({ code: "auth_required" });
    expect(provider.redirects).toHaveLength(1);
    expect(provider.redirects[0]?.searchParams.get("scope")?.split(" ").toSorted()).toEqual(["read", "write"]);
    expect(server.bearers).toHaveLength(1);
  });
});

describe("a refresh token that cannot be redeemed", () => {
  const failWith =
    (status: number, body: object): NonNullable<OAuthServerInit["grant"]> =>
    (parameters, count) =>
      parameters.get("grant_type") === "refresh_token"
        ? { status, body }
        : { status: 200, body: { access_token: `granted-${count}`, token_type: "Bearer" } };

  it.each([
    [500, { error: "server_error" }],
    [503, {}],
    [200, { surprise: "no token" }],
    [429, { error: "slow_down" }],
  ])("because of HTTP %d %j bothers no user and forgets nothing", async (status, body) => {
    await using server = await startOAuthServer({ refuse: refuseAll, grant: failWith(status, body) });
    const provider = createMemoryProvider(tokensOf(server));
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({
      code: "auth_required",
      message: expect.stringContaining(`HTTP ${status}`),
    });
    expect([provider.redirects, provider.saved.at(-1)?.refresh_token]).toEqual([[], "refresh-token-0"]);
  });

  it("because it is not valid any more sends the user who waits to the page", async () => {
    await using server = await startOAuthServer({
      refuse: refuseAll,
      grant: failWith(400, { error: "invalid_grant" }),
    });
    const provider = createMemoryProvider(tokensOf(server));
    const forgotten: string[] = [];
    const watched = Object.assign(provider, { invalidateCredentials: (what: string) => void forgotten.push(what) });
    await using web = await open(server, watched);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect([forgotten, provider.redirects.length]).toEqual([["tokens"], 1]);
  });

  it("because another process redeemed it gives way to the new one", async () => {
    let taken = (): void => undefined;
    await using server = await startOAuthServer({
      refuse: refuseUnless("of-another-process"),
      grant: () => {
        taken();
        return { status: 400, body: { error: "invalid_grant" } };
      },
    });
    const provider = createMemoryProvider(tokensOf(server));
    taken = () =>
      void provider.saveTokens({ ...tokensOf(server), access_token: "of-another-process", refresh_token: "refresh-1" });
    await using web = await open(server, provider);
    await web.request(1);
    expect([server.bearers, provider.redirects]).toEqual([["stale-access-token", "of-another-process"], []]);
  });

  it("shows nowhere what the authorization server echoes of the request", async () => {
    await using server = await startOAuthServer({
      refuse: refuseAll,
      grant: (parameters) => ({
        status: 400,
        body: { error: "bad", error_description: `got ${parameters.toString()}` },
      }),
    });
    const provider = createMemoryProvider(tokensOf(server));
    await provider.saveClientInformation?.({ client_id: "known", client_secret: "the-client-secret" });
    await using web = await open(server, provider);
    const error = await thrownBy(web.request(1));
    const texts = [
      inspect(error, { depth: 20, showHidden: true }),
      inspect(error, { customInspect: false }),
      String(error),
    ];
    expect(texts.join("\n")).toContain("got ");
    expect([...texts, JSON.stringify(error)].join("\n")).not.toMatch(/refresh-token-0|the-client-secret|stale-access/);
  });
});

describe("a redirect of the token endpoint", () => {
  it.each([301, 302, 307, 308])("with HTTP %d is not followed, not within its origin either", async (status) => {
    await using server = await startOAuthServer({
      refuse: refuseAll,
      grant: () => ({ status, body: {}, headers: { location: "/tenant-of-another" } }),
    });
    const provider = createMemoryProvider(tokensOf(server));
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "redirect_refused" });
    expect(server.paths.filter((path) => path.includes("tenant"))).toEqual([]);
    expect(provider.redirects).toEqual([]);
  });
});

describe("an authorization page", () => {
  it.each([
    "ms-evil-handler://host/x",
    "file:///etc/passwd",
    "http://10.255.255.1:81/authorize",
    "ftp://host/x",
    "https://accounts.example@evil.example/authorize",
  ])("at %s is shown to nobody", async (page) => {
    await using server = await startOAuthServer({ refuse: refuseAll, metadata: { authorization_endpoint: page } });
    const provider = createMemoryProvider();
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect(provider.redirects).toEqual([]);
  });
});

describe("resource_metadata", () => {
  it.each(["gopher://127.0.0.1/x", "ftp://127.0.0.1/x", "http://169.254.169.254/latest", "https://other.example/x"])(
    "at %s is not fetched; the resource's own place is",
    async (place) => {
      const asked: string[] = [];
      await using server = await startOAuthServer({
        refuse: () => ({ status: 401, challenge: `Bearer resource_metadata="${place}"` }),
      });
      const provider = createMemoryProvider();
      await using web = await open(server, provider, {
        fetch: (url, init) => {
          asked.push(url);
          return fetch(url, init);
        },
      });
      expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
      expect(asked.filter((url) => new URL(url).origin !== new URL(server.url).origin)).toEqual([]);
      expect(provider.redirects).toHaveLength(1);
    },
  );
});

describe("the code that a user brings back", () => {
  it.each([
    ["a provider that keeps nothing", withoutDiscovery],
    ["a provider that keeps what was found out", (provider: MemoryProvider) => provider],
  ])("goes to whom the user was sent to, though the server names another by then: %s", async (_, wrap) => {
    let named: string | undefined;
    await using evil = await startOAuthServer({ refuse: refuseAll });
    await using server = await startOAuthServer({
      refuse: refuseAll,
      authorizationServers: (own) => [named ?? own],
    });
    const provider = wrap(createMemoryProvider());
    await using web = await open(server, provider);
    await thrownBy(web.request(1));
    expect(provider.redirects).toHaveLength(1);
    named = new URL(evil.url).origin;
    await finish(server, provider);
    expect(server.grants.map((grant) => grant.get("code"))).toEqual(["the-secret-code"]);
    expect(evil.paths).toEqual([]);
  });

  it("goes nowhere when what was found out has become another authorization server", async () => {
    await using evil = await startOAuthServer({ refuse: refuseAll });
    await using server = await startOAuthServer({ refuse: refuseAll });
    const provider = createMemoryProvider();
    await using web = await open(server, provider);
    await thrownBy(web.request(1));
    await provider.saveDiscoveryState?.({ authorizationServerUrl: new URL(evil.url).origin });
    const error = await thrownBy(finish(server, provider));
    expect(error).toMatchObject({
      code: "auth_required",
      message: expect.stringContaining("another authorization server"),
    });
    expect([server.grants, evil.grants]).toEqual([[], []]);
  });

  it("goes nowhere when nobody knows where the user was sent", async () => {
    await using server = await startOAuthServer({ refuse: refuseAll });
    const provider = withoutDiscovery(createMemoryProvider());
    await provider.saveClientInformation?.({ client_id: "known" });
    expect(await thrownBy(finish(server, provider))).toMatchObject({ code: "auth_required" });
    expect(server.grants).toEqual([]);
  });

  it("is shown nowhere when it is refused", async () => {
    await using server = await startOAuthServer({
      refuse: refuseAll,
      grant: (parameters) => ({
        status: 400,
        body: { error: "invalid_grant", error_description: parameters.toString() },
      }),
    });
    const provider = createMemoryProvider();
    await using web = await open(server, provider);
    await thrownBy(web.request(1));
    const error = await thrownBy(finish(server, provider));
    const verifier = await provider.codeVerifier();
    expect(error).toBeInstanceOf(HostsideError);
    for (const text of [String(error), inspect(error, { customInspect: false, depth: 20 })]) {
      expect(text).not.toContain("the-secret-code");
      expect(text).not.toContain(verifier);
    }
    expect(server.grants).toHaveLength(1);
  });
});

describe("what a product never comes back with", () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it.each<[string, (server: OAuthServer) => AuthorizationProvider]>([
    ["onUnauthorized", () => ({ token: async () => "old-token", onUnauthorized: never })],
    ["redirectToAuthorization", () => Object.assign(createMemoryProvider(), { redirectToAuthorization: never })],
    ["saveTokens", (server) => Object.assign(createMemoryProvider(tokensOf(server)), { saveTokens: never })],
  ])("%s: a caller who gives up waits no more, and leaves no timer", async (_, providerFor) => {
    const clock = createManualClock();
    await using server = await startOAuthServer({ refuse: refuseAll });
    const web = await open(server, providerFor(server), { clock });
    const failure = thrownBy(web.request(1));
    await expect.poll(() => server.bearers.length).toBe(1);
    await expect.poll(() => clock.pending()).toBe(1);
    web.transport.takeBack?.(1);
    expect(await failure).toMatchObject({ code: "aborted" });
    expect(clock.pending()).toBe(0);
    const closed = thrownBy(web.request(2));
    await expect.poll(() => clock.pending()).toBe(1);
    await web.transport.close();
    expect(await closed).toMatchObject({ code: "closed" });
    expect(clock.pending()).toBe(0);
  });
});

describe("credentials that are cleared", () => {
  // While the token endpoint makes up its mind.
  const clearing = async ({
    hasTokens,
  }: {
    hasTokens: boolean;
  }): Promise<{ server: OAuthServer; provider: MemoryProvider & AsyncDisposable }> => {
    const server = await startOAuthServer({
      refuse: refuseUnless("granted-1"),
      grant(_parameters, count) {
        void clearHttpCredentials(specOf(server), { authProvider: () => provider }, undefined);
        return { status: 200, body: { access_token: `granted-${count}`, token_type: "Bearer" } };
      },
    });
    const memory = createMemoryProvider(hasTokens ? tokensOf(server) : undefined);
    const provider = Object.assign(memory, {
      invalidateCredentials: () => void memory.saveTokens({ access_token: "", token_type: "Bearer" }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    });
    await provider.saveClientInformation?.({ client_id: "known" });
    return { server, provider };
  };

  it("do not come back with a refresh that was under way", async () => {
    const { server, provider } = await clearing({ hasTokens: true });
    await using _ = provider;
    await using web = await open(server, provider, { isInteractive: false });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect(provider.saved.at(-1)).toMatchObject({ access_token: "" });
  });

  it("do not come back with a code that was being redeemed", async () => {
    const { server, provider } = await clearing({ hasTokens: false });
    await using _ = provider;
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect(provider.redirects).toHaveLength(1);
    expect(await thrownBy(finish(server, provider))).toMatchObject({ code: "auth_required" });
    expect(provider.saved.at(-1)).toMatchObject({ access_token: "" });
  });
});
