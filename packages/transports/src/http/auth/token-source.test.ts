import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { startOAuthServer, type OAuthServer, type Refusal } from "../../../test/oauth-server.ts";
import { openHttpTransport, thrownBy, type OpenedHttp, type OpenHttpInit } from "../../../test/open-http-transport.ts";
import type { AuthorizationProvider, TokenSource } from "./authorization-provider.ts";

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

describe("auth: oauth", () => {
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

  it("takes a plain 403 for what it is", async () => {
    await using server = await startOAuthServer({ refuse: () => ({ status: 403 }) });
    await using web = await open(server, { token: async () => "old", onUnauthorized: () => expect.unreachable() });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "forbidden", outcome: "failed" });
    expect(server.bearers).toEqual(["old"]);
  });

  it("is not answered by the requests in the background: closing asks nobody", async () => {
    await using server = await startOAuthServer({
      refuse: (_token, { method }) => (method === "POST" ? undefined : { status: 401 }),
    });
    const web = await open(server, { token: async () => "good", onUnauthorized: () => expect.unreachable() });
    await web.handshake();
    await expect.poll(() => server.paths.at(-1)).toBe("GET /mcp");
    await web.transport.close();
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

  it("is not asked again for a request that was refused with the token before", async () => {
    let release = (): void => expect.unreachable();
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await startOAuthServer({ refuse: unless("new") });
    let current = "old";
    let renewals = 0;
    const source: TokenSource = {
      token: async () => current,
      onUnauthorized: async () => {
        renewals += 1;
        current = "new";
      },
    };
    let calls = 0;
    await using slow = await open(server, source, {
      // The refusal of the first request arrives when the second one has long been answered.
      fetch: async (url, init) => {
        calls += 1;
        const isFirst = calls === 1;
        const response = await fetch(url, init);
        if (isFirst) await held;
        return response;
      },
    });
    await using quick = await open(server, source);
    const late = slow.request(1);
    await expect.poll(() => server.bearers.length).toBe(1);
    await quick.request(2);
    release();
    await late;
    expect(renewals).toBe(1);
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
    const clock = useManualClock();
    await using server = await startOAuthServer({ refuse: unless("never") });
    let asked = 0;
    const source: TokenSource = {
      token: async () => "old",
      onUnauthorized: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    };
    await using web = await open(server, source);
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

  it.each(["abort", "close"] as const)("that hangs in onUnauthorized leaves no timer after %s", async (how) => {
    const clock = useManualClock();
    await using server = await startOAuthServer({ refuse: unless("never") });
    const onUnauthorized = (): Promise<void> => new Promise(() => undefined);
    await using web = await open(server, { token: async () => "old", onUnauthorized });
    const failures = [thrownBy(web.request(1)), thrownBy(web.request(2))];
    await expect.poll(() => [server.bearers.length, clock.pending()]).toEqual([2, 2]);
    if (how === "abort") for (const id of [1, 2]) web.transport.takeBack?.(id);
    else await web.transport.close();
    await Promise.all(failures);
    expect(clock.pending()).toBe(0);
  });

  it("gives a request that comes late to a hanging onUnauthorized its whole time", async () => {
    const clock = useManualClock();
    await using server = await startOAuthServer({ refuse: unless("new") });
    let current = "old";
    let finish = (): void => expect.unreachable();
    const onUnauthorized = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    await using web = await open(server, { token: async () => current, onUnauthorized });
    const first = thrownBy(web.request(1));
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(119_000);
    const second = web.request(2);
    await expect.poll(() => clock.pending()).toBe(2);
    clock.advance(1000);
    expect(await first).toMatchObject({ code: "auth_required" });
    current = "new";
    finish();
    await second;
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
