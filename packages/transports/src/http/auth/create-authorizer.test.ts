import { ClientCredentialsProvider, type OAuthTokens } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../../../test/manual-clock.ts";
import {
  createMemoryProvider,
  startOAuthServer,
  type MemoryProvider,
  type OAuthServer,
  type Refusal,
} from "../../../test/oauth-server.ts";
import { openHttpTransport, thrownBy, type OpenedHttp, type OpenHttpInit } from "../../../test/open-http-transport.ts";
import type { AuthorizationProvider, TokenSource } from "./authorization-provider.ts";
import { finishHttpAuthorization } from "../open-http.ts";

const staleFor = (server: OAuthServer): OAuthTokens & { issuer: string } => ({
  access_token: "stale",
  token_type: "Bearer",
  refresh_token: "refresh-0",
  issuer: new URL(server.url).origin,
});
const unless =
  (...good: readonly string[]) =>
  (token: string | undefined): Refusal | undefined =>
    token !== undefined && good.includes(token) ? undefined : { status: 401, challenge: 'Bearer scope="read"' };

async function open(
  server: OAuthServer,
  provider: AuthorizationProvider,
  init: Partial<OpenHttpInit> = {},
): Promise<OpenedHttp> {
  return openHttpTransport({ url: server.url, transport: { auth: "oauth" }, authProvider: () => provider, ...init });
}

function finish(server: OAuthServer, provider: AuthorizationProvider, query: Record<string, string>): Promise<void> {
  return finishHttpAuthorization(
    { id: "web", type: "http", url: server.url, auth: "oauth" },
    new URLSearchParams(query),
    { authProvider: () => provider },
  );
}

/** What the user's browser brings back. */
const callbackOf = (provider: MemoryProvider): Record<string, string> => ({
  code: "c0de",
  state: provider.redirects.at(-1)?.searchParams.get("state") ?? "",
});

describe("auth: oauth", () => {
  it("sends the provider's token with every request", async () => {
    await using server = await startOAuthServer({ refuse: unless("good") });
    await using web = await open(server, createMemoryProvider({ access_token: "good", token_type: "Bearer" }));
    await web.request(1);
    await web.request(2);
    expect([server.bearers, server.grants]).toEqual([["good", "good"], []]);
  });

  it("needs a provider", async () => {
    const spec = { url: "https://example.com", transport: { auth: "oauth" } } as const;
    for (const authProvider of [undefined, () => undefined]) {
      expect(await thrownBy(openHttpTransport({ ...spec, authProvider }))).toMatchObject({
        code: "invalid_spec",
        details: { field: "auth" },
      });
    }
  });

  it("is not asked for where the spec does not say so", async () => {
    await using server = await startOAuthServer({ refuse: unless("good") });
    await using web = await openHttpTransport({ url: server.url, authProvider: () => expect.unreachable() });
    expect(await thrownBy(web.request(1))).toMatchObject({
      code: "auth_required",
      outcome: "failed",
      details: { challenge: 'Bearer scope="read"', httpStatus: 401 },
    });
  });

  it("refreshes a token that is refused, and sends the request once more", async () => {
    await using server = await startOAuthServer({ refuse: unless("granted-1") });
    const provider = createMemoryProvider(staleFor(server));
    await using web = await open(server, provider);
    await web.request(1);
    expect(server.bearers).toEqual(["stale", "granted-1"]);
    expect(server.grants.map((grant) => [grant.get("grant_type"), grant.get("refresh_token")])).toEqual([
      ["refresh_token", "refresh-0"],
    ]);
    expect([web.messages.length, provider.redirects]).toEqual([1, []]);
  });

  it("refreshes once for all requests that are refused together, over all connections of the provider", async () => {
    await using server = await startOAuthServer({ refuse: unless("granted-1") });
    const provider = createMemoryProvider(staleFor(server));
    await using first = await open(server, provider);
    await using second = await open(server, provider);
    await Promise.all([1, 2, 3, 4].flatMap((id) => [first.request(id), second.request(id)]));
    expect(server.grants).toHaveLength(1);
    expect(server.bearers.filter((token) => token === "granted-1")).toHaveLength(8);
  });

  it("does not refresh again for a request that was refused with the token before", async () => {
    let holdFirst = (): void => expect.unreachable();
    const held = new Promise<void>((resolve) => {
      holdFirst = resolve;
    });
    await using server = await startOAuthServer({ refuse: unless("granted-1") });
    const provider = createMemoryProvider(staleFor(server));
    let calls = 0;
    await using slow = await open(server, provider, {
      // The refusal of the first request arrives when the second one has long been answered.
      fetch: async (url, init) => {
        calls += 1;
        const isFirst = calls === 1;
        const response = await fetch(url, init);
        if (isFirst) await held;
        return response;
      },
    });
    await using quick = await open(server, provider);
    const late = slow.request(1);
    await expect.poll(() => server.bearers.length).toBe(1);
    await quick.request(2);
    holdFirst();
    await late;
    expect(server.grants).toHaveLength(1);
  });

  it("fails with auth_required when the refreshed token is refused as well, without a loop", async () => {
    await using server = await startOAuthServer({ refuse: unless("never") });
    await using web = await open(server, createMemoryProvider(staleFor(server)));
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required", outcome: "failed" });
    expect([server.bearers, server.grants.length]).toEqual([["stale", "granted-1"], 1]);
  });

  it("asks for the user when nothing can be refreshed, and goes on after finishHttpAuthorization()", async () => {
    await using server = await startOAuthServer({ refuse: unless("granted-1") });
    const provider = createMemoryProvider();
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({
      code: "auth_required",
      outcome: "failed",
      serverId: "web",
      details: { httpStatus: 401, challenge: 'Bearer scope="read"' },
    });
    expect(provider.redirects[0]?.searchParams.get("scope")).toBe("read");
    expect(provider.redirects[0]?.searchParams.get("code_challenge_method")).toBe("S256");
    await finish(server, provider, callbackOf(provider));
    expect(server.grants[0]?.get("code")).toBe("c0de");
    await web.request(2);
    expect(web.messages).toMatchObject([{ id: 2 }]);
  });

  it("asks for more scope when a call is refused for the lack of it, together with what is granted already", async () => {
    await using server = await startOAuthServer({
      refuse: (token) =>
        token === "granted-1"
          ? undefined
          : { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' },
    });
    const provider = createMemoryProvider({ ...staleFor(server), scope: "read" });
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required", details: { httpStatus: 403 } });
    // A refresh would bring no new scope.
    expect(server.grants).toEqual([]);
    expect(provider.redirects[0]?.searchParams.get("scope")?.split(" ").toSorted()).toEqual(["read", "write"]);
    await finish(server, provider, callbackOf(provider));
    await web.request(2);
  });

  it("gets a token without a user where the provider needs none, such as the SDK's for client credentials", async () => {
    await using server = await startOAuthServer({ refuse: unless("granted-1") });
    const provider = new ClientCredentialsProvider({
      clientId: "id",
      clientSecret: "secret",
      expectedIssuer: new URL(server.url).origin,
    });
    await using web = await open(server, provider);
    await web.request(1);
    expect(server.grants.map((grant) => grant.get("grant_type"))).toEqual(["client_credentials"]);
    expect(server.bearers).toEqual([undefined, "granted-1"]);
  });

  it("takes a plain 403 for what it is", async () => {
    await using server = await startOAuthServer({ refuse: () => ({ status: 403 }) });
    const provider = createMemoryProvider(staleFor(server));
    await using web = await open(server, provider);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "forbidden", outcome: "failed" });
    expect([server.bearers.length, server.grants, provider.redirects]).toEqual([1, [], []]);
  });

  it("sends the user to the browser three times in ten minutes at most, over all connections", async () => {
    const clock = createManualClock();
    await using server = await startOAuthServer({ refuse: () => ({ status: 401 }) });
    const provider = createMemoryProvider();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await using web = await open(server, provider, { clock });
      expect(await thrownBy(web.request(attempt))).toMatchObject({ code: "auth_required" });
      expect(provider.redirects).toHaveLength(Math.min(attempt, 3));
    }
    clock.advance(600_000);
    await using web = await open(server, provider, { clock });
    await thrownBy(web.request(9));
    expect(provider.redirects).toHaveLength(4);
  });

  it("says what went wrong when the authorization server refuses, in words without secrets", async () => {
    await using server = await startOAuthServer({
      refuse: unless("never"),
      grant: () => ({ status: 500, body: { error: "server_error", error_description: "\u001B[31mout of order" } }),
    });
    const provider = createMemoryProvider();
    await using web = await open(server, provider);
    await thrownBy(web.request(1));
    const error = await thrownBy(finish(server, provider, callbackOf(provider)));
    expect(error).toMatchObject({ code: "auth_required", serverId: "web" });
    expect(String(error)).toContain("out of order");
    expect(String(error)).not.toContain("\u001B");
  });

  it("is not answered by the requests in the background: closing asks nobody", async () => {
    await using server = await startOAuthServer({
      refuse: (_token, { method }) => (method === "POST" ? undefined : { status: 401 }),
    });
    const provider = createMemoryProvider({ access_token: "good", token_type: "Bearer" });
    const web = await open(server, provider);
    await web.handshake();
    await expect.poll(() => server.paths.at(-1)).toBe("GET /mcp");
    await web.transport.close();
    expect([server.grants, provider.redirects]).toEqual([[], []]);
  });

  it("works over the old HTTP+SSE as well", async () => {
    await using server = await startOAuthServer({ refuse: unless("granted-1") });
    await using web = await open(server, createMemoryProvider(staleFor(server)), { channel: "sse" });
    // The server has no stream, but the refresh came first.
    expect(await thrownBy(web.transport.start())).toMatchObject({ code: "protocol_error" });
    expect(server.grants).toHaveLength(1);
  });
});

describe("finishHttpAuthorization()", () => {
  it.each([
    [{ error: "access_denied" }, "access_denied"],
    [{}, "no code and no error"],
    [{ error: "\u001B[31mred" }, "red"],
  ])("throws auth_required for the callback %j", async (query, reason) => {
    await using server = await startOAuthServer({ refuse: unless("never") });
    const error = await thrownBy(finish(server, createMemoryProvider(), query));
    expect(error).toMatchObject({ code: "auth_required" });
    expect(String(error)).toContain(reason);
    expect(server.grants).toEqual([]);
  });

  it("throws auth_required, and asks for no token, when the callback comes from another issuer (RFC 9207)", async () => {
    await using server = await startOAuthServer({ refuse: unless("never") });
    const provider = createMemoryProvider();
    await using web = await open(server, provider);
    await thrownBy(web.request(1));
    const error = await thrownBy(finish(server, provider, { ...callbackOf(provider), iss: "https://evil.example" }));
    expect(error).toMatchObject({ code: "auth_required" });
    expect(server.grants).toEqual([]);
  });

  it.each([
    ["another", { state: "forged" }],
    ["no", {}],
  ])("throws auth_required, and asks for no token, for a callback with %s state", async (_which, query) => {
    await using server = await startOAuthServer({ refuse: unless("never") });
    const provider = Object.assign(createMemoryProvider(), { state: () => "expected" });
    await using web = await open(server, provider);
    await thrownBy(web.request(1));
    const error = await thrownBy(finish(server, provider, { code: "c0de", ...query }));
    expect(error).toMatchObject({ code: "auth_required", message: expect.stringContaining('server "web"') as string });
    expect(server.grants).toEqual([]);
    // The right one still counts.
    await finish(server, provider, callbackOf(provider));
    expect(server.grants).toHaveLength(1);
  });

  it("throws invalid_spec for a server that does not use OAuth", async () => {
    const spec = { id: "web", type: "http", url: "https://example.com" } as const;
    expect(await thrownBy(finishHttpAuthorization(spec, new URLSearchParams(), {}))).toMatchObject({
      code: "invalid_spec",
    });
  });
});

describe("a token source", () => {
  it("is asked again after onUnauthorized, once for all requests that are refused together", async () => {
    await using server = await startOAuthServer({ refuse: unless("new") });
    let current = "old";
    const challenges: (string | null)[] = [];
    await using web = await open(server, {
      token: async () => current,
      onUnauthorized: async ({ response, serverUrl }) => {
        challenges.push(response.headers.get("www-authenticate"));
        expect([response.status, serverUrl.href]).toEqual([401, server.url]);
        current = "new";
      },
    });
    await Promise.all([web.request(1), web.request(2), web.request(3)]);
    expect(challenges).toEqual(['Bearer scope="read"']);
    expect(web.messages).toHaveLength(3);
  });

  it.each<[string, TokenSource]>([
    ["has no onUnauthorized", { token: async () => "old" }],
    ["has no token at all", { token: async () => undefined }],
    ["has an empty token", { token: async () => "" }],
    ["changes nothing", { token: async () => "old", onUnauthorized: async () => undefined }],
    [
      "fails in onUnauthorized",
      { token: async () => "old", onUnauthorized: () => Promise.reject(new Error("no network")) },
    ],
  ])("that %s fails the request with auth_required", async (_how, source) => {
    await using server = await startOAuthServer({ refuse: unless("never") });
    await using web = await open(server, source);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required", outcome: "failed" });
    expect(server.bearers.length).toBeLessThanOrEqual(2);
  });

  it.each<[string, TokenSource]>([
    ["throws", { token: () => Promise.reject(new Error("locked")) }],
    ["returns what no header can carry", { token: async () => "a\r\nx-evil: 1" }],
  ])("that %s fails the request before anything is sent", async (_how, source) => {
    await using server = await startOAuthServer({ refuse: () => undefined });
    await using web = await open(server, source);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect(server.paths).toEqual([]);
  });

  it("has its token masked where the server echoes it", async () => {
    await using server = await startOAuthServer({
      refuse: (token) => ({ status: 403, challenge: `Basic realm="${token}"` }),
    });
    await using web = await open(server, { token: async () => "s3cret-token" });
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code: "forbidden" });
    expect(JSON.stringify([error, String(error)])).not.toContain("s3cret");
  });

  it("that hangs in onUnauthorized is given up after two minutes, for all that wait", async () => {
    const clock = createManualClock();
    await using server = await startOAuthServer({ refuse: unless("never") });
    let asked = 0;
    const source: TokenSource = {
      token: async () => "old",
      onUnauthorized: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    };
    await using web = await open(server, source, { clock });
    const failures = [thrownBy(web.request(1)), thrownBy(web.request(2))];
    // Both wait by now, each with a deadline of its own.
    await expect.poll(() => [server.bearers.length, asked, clock.pending()]).toEqual([2, 1, 2]);
    clock.advance(120_000);
    expect(await Promise.all(failures)).toMatchObject([{ code: "auth_required" }, { code: "auth_required" }]);
    const again = thrownBy(web.request(3));
    await expect.poll(() => [asked, clock.pending()]).toEqual([2, 1]);
    clock.advance(120_000);
    expect(await again).toMatchObject({ code: "auth_required" });
    expect(clock.pending()).toBe(0);
  });

  it("can be cancelled while it thinks", async () => {
    await using server = await startOAuthServer({ refuse: () => undefined });
    await using web = await open(server, { token: () => new Promise(() => undefined) });
    const failure = thrownBy(web.request(1));
    web.transport.takeBack?.(1);
    expect(await failure).toMatchObject({ code: "aborted" });
    expect(server.paths).toEqual([]);
  });
});
