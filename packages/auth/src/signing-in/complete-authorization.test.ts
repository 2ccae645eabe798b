import * as fc from "fast-check";
import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useVirtualClock, firstDate } from "../../../provider/test/simulation/virtual-clock.ts";
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
import { until } from "../../test/sign-in-world.ts";
import { createOAuth } from "../create-oauth.ts";
import type { OAuth } from "../oauth.ts";
import type { OAuthOptions } from "../oauth-options.ts";
import { createMemoryCredentials } from "../store/create-memory-credentials.ts";

const page = "https://product.example/oauth/back";

function createWorld(options: Partial<OAuthOptions> = {}, servers = createFakeServers()) {
  const clock = useVirtualClock();
  const store = createMemoryCredentials();
  const create = (changes: Partial<OAuthOptions> = {}) =>
    createOAuth({ store, redirect: page, fetch: servers.fetch, ...options, ...changes });
  return { clock, store, servers, create, oauth: create() };
}

describe("begin() and complete()", () => {
  it("sign in with PKCE S256, a state of 256 bits and the resource in both requests, and show nothing to anybody", async () => {
    const { oauth, servers } = createWorld();
    const signedIn: unknown[] = [];
    oauth.onSignedIn((who) => signedIn.push(who));
    const pending = await oauth.begin(spec);
    const asked = pending.url.searchParams;
    expect(pending.url.origin + pending.url.pathname).toBe(`${issuer}/authorize`);
    expect(Object.fromEntries(asked)).toEqual({
      response_type: "code",
      client_id: "client-1",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      redirect_uri: page,
      state: expect.stringMatching(/^[\w-]{43}$/),
      resource: serverUrl,
    });
    expect(pending.state).toBe(asked.get("state"));
    expect(pending.expiresAt).toBe(firstDate + 600_000);
    const who = await oauth.complete(servers.visit(pending.url));
    expect(who).toMatchObject({ serverId: "notes", issuer, serverUrl, clientId: "client-1", scopes: [], renews: true });
    expect(signedIn).toEqual([who]);
    expect(servers.requests.at(-1)?.form.get("resource")).toBe(serverUrl);
  });

  it("end, when aborted, once what begin() keeps is kept", async () => {
    const kept = createMemoryCredentials();
    const happened: string[] = [];
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const save: typeof kept.save = async (key, ...rest) => {
      if (key.kind === "pending") {
        happened.push("saving");
        await gate;
        happened.push("saved");
      }
      await kept.save(key, ...rest);
    };
    const { oauth } = createWorld({ store: { ...kept, save } });
    const controller = new AbortController();
    const end = (): number => happened.push("ended");
    const begun = oauth.begin(spec, { signal: controller.signal }).then(end, end);
    await until(() => happened.length > 0);
    controller.abort();
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await begun;
    expect(happened).toEqual(["saving", "saved", "ended"]);
  });

  it.each([
    ["says nothing of proof keys", { code_challenge_methods_supported: undefined }, "PKCE"],
    ["takes plain proof keys alone", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["gives no codes", { response_types_supported: ["token"] }, "authorization code flow"],
  ])("send nobody to an authorization server that %s, and register nothing there", async (...[, changes, text]) => {
    const { oauth, servers } = createWorld({}, createFakeServers(changes));
    expect((await errorOf(oauth.begin(spec))).message).toContain(text);
    expect(servers.count(`POST ${issuer}/register`)).toBe(0);
  });

  it.each<JsonObject>([
    { verifier: 5 },
    { issuer: {} },
    { scope: 5 },
    { resource: [] },
    { dpopKey: "key" },
    { serverId: 5 },
    { title: {} },
    { principal: 5 },
    { isPublished: "no" },
  ])("take nothing that a broken store made %j, and send and keep nothing", async (changes) => {
    const { oauth, servers, store } = createWorld();
    const { url, state } = await oauth.begin(spec);
    const back = servers.visit(url);
    const key = { kind: "pending", state } as const;
    await store.save(key, { ...(await store.load(key)), ...changes });
    expect(await errorOf(oauth.complete(back))).toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("begin again"),
    });
    expect(servers.count(`POST ${issuer}/token`)).toBe(0);
    expect(await oauth.list()).toEqual([]);
  });

  it("sign in to a server of 2025-03-26, which says nothing about itself", async () => {
    const { oauth, servers } = createWorld();
    const origin = new URL(serverUrl).origin;
    servers.routes.delete(`GET ${resourceUrl}`);
    for (const place of ["register", "token"]) {
      const route = servers.routes.get(`POST ${issuer}/${place}`);
      if (route !== undefined) servers.routes.set(`POST ${origin}/${place}`, route);
    }
    const pending = await oauth.begin(spec);
    expect(pending.url.href).toMatch(`${origin}/authorize?`);
    expect(pending.url.searchParams.has("resource")).toBe(false);
    const other = await errorOf(oauth.complete(servers.visit(pending.url, { iss: "https://evil.example" })));
    expect(other.message).toContain("RFC 9207");
    const again = await oauth.begin(spec);
    expect(await oauth.complete(servers.visit(again.url, { iss: origin }))).toMatchObject({ issuer: `${origin}/` });
  });

  it.each([200, 503, undefined])(
    "revoke the tokens of another issuer once the new ones are kept (%s)",
    async (status) => {
      const config = { clientId: "host", clientSecret: "first" };
      const servers = createFakeServers({
        revocation_endpoint: `${issuer}/revoke`,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      });
      const { oauth, create, store } = createWorld({ clients: { notes: { ...config, issuer } } }, servers);
      const signIn = async (by: OAuth) => by.complete(servers.visit((await by.begin(spec)).url));
      await signIn(oauth);
      await signIn(oauth);
      expect(servers.count(`POST ${issuer}/revoke`)).toBe(0);
      const old = await store.load({ kind: "account", serverId: "notes" });
      const next = "https://next.example";
      servers.routes.set(`GET ${resourceUrl}`, () =>
        Response.json({ resource: serverUrl, authorization_servers: [next] }),
      );
      servers.routes.set(`GET ${next}/.well-known/oauth-authorization-server`, () =>
        Response.json(metadataOf({ issuer: next })),
      );
      const kept: unknown[] = [];
      servers.routes.set(`POST ${issuer}/revoke`, async () => {
        kept.push((await store.load({ kind: "account", serverId: "notes" }))?.["issuer"]);
        if (status === undefined) throw new TypeError("fetch failed");
        return new Response(null, { status });
      });
      const moved = create({ clients: { notes: { clientId: "host", clientSecret: "second", issuer: next } } });
      expect(await signIn(moved)).toMatchObject({ issuer: next });
      const sent = servers.requests.filter(({ url }) => url.pathname === "/revoke").map(({ form }) => form);
      expect(sent[0]?.get("token")).toBe(old?.["refreshToken"]);
      expect(sent.map((form) => form.get("client_secret"))).not.toContain("second");
      expect(new Set(kept)).toEqual(new Set([next]));
    },
  );

  it("complete in another process that shares the store and has not heard of the server", async () => {
    const { oauth, servers, create } = createWorld();
    const pending = await oauth.begin(spec, { principal: "ann" });
    const who = await create().complete(servers.visit(pending.url).href, { principal: "ann" });
    expect(who).toMatchObject({ serverId: "notes", principal: "ann" });
  });

  it.each([
    ["a code alone", () => "SplxlOBeZQQYbYS6WxSbIA"],
    ["another path", (back: URL) => new URL(`/elsewhere${back.search}`, back)],
    ["no state", (back: URL) => without(back, "state")],
    ["two states", (back: URL) => new URL(`${back.href}&state=x`)],
    ["two codes", (back: URL) => new URL(`${back.href}&code=x`)],
    ["a state that nobody made", (back: URL) => new URL(back.href.replace(/state=[\w-]+/, `state=${"A".repeat(43)}`))],
    [
      "a state that is a key of another kind",
      (back: URL) => new URL(back.href.replace(/state=[\w-]+/, "state=__proto__")),
    ],
  ])("refuse %s, send nothing, and can still be completed", async (_, spoil) => {
    const { oauth, servers } = createWorld();
    const pending = await oauth.begin(spec);
    const back = servers.visit(pending.url);
    const before = servers.requests.length;
    const error = await errorOf(oauth.complete(spoil(back)));
    expect(error.code).toBe("auth_required");
    expect(error.message).toContain("no pending OAuth authorization");
    expect(error.message).not.toContain("code-1");
    expect(servers.requests).toHaveLength(before);
    await oauth.complete(back);
  });

  it("send a code once, however often they are called, and in whichever process", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom("complete", "cancel"), async (scheduler, third) => {
        const servers = createFakeServers();
        const { store, create, oauth } = createWorld({}, servers);
        const pending = await oauth.begin(spec);
        const back = servers.visit(pending.url);
        const tokens = servers.routes.get(`POST ${issuer}/token`);
        servers.routes.set(`POST ${issuer}/token`, async (request) => {
          await scheduler.schedule(Promise.resolve(), "token");
          return tokens?.(request) ?? Response.error();
        });
        const calls = [oauth, create(), third === "complete" ? create() : oauth].map((one, index) =>
          scheduler
            .schedule(Promise.resolve(), `call ${index}`)
            .then((): Promise<unknown> =>
              index === 2 && third === "cancel" ? one.cancel("notes") : one.complete(back),
            ),
        );
        const ends = Promise.allSettled(calls);
        await scheduler.waitFor(ends);
        const done = (await ends).filter((end) => end.status === "fulfilled" && typeof end.value === "object");
        const wasCancelled = (await ends).some((end) => end.status === "fulfilled" && end.value === true);
        expect(servers.count(`POST ${issuer}/token`)).toBe(wasCancelled ? 0 : 1);
        expect(done).toHaveLength(wasCancelled ? 0 : 1);
        expect(await store.load({ kind: "pending", state: pending.state })).toBeUndefined();
      }),
      { numRuns: 25 },
    );
  });

  it("are nothing to be cancelled once they are completed", async () => {
    const { oauth, servers } = createWorld();
    await oauth.complete(servers.visit((await oauth.begin(spec)).url));
    expect(await oauth.cancel("notes")).toBe(false);
  });

  it("take no answer after ten minutes", async () => {
    const { oauth, servers, clock } = createWorld();
    const pending = await oauth.begin(spec);
    clock.advance(600_000);
    expect((await errorOf(oauth.complete(servers.visit(pending.url)))).message).toContain("no pending OAuth");
    expect(servers.count(`POST ${issuer}/token`)).toBe(0);
  });

  it("take no answer after ten minutes of a store that forgets nothing by itself either", async () => {
    const kept = createMemoryCredentials();
    const store = { ...kept, save: (...[key, document]: Parameters<typeof kept.save>) => kept.save(key, document) };
    const { oauth, servers, clock } = createWorld({ store });
    const pending = await oauth.begin(spec);
    clock.advance(600_000);
    expect((await errorOf(oauth.complete(servers.visit(pending.url)))).message).toContain("no pending OAuth");
  });

  it("send nothing when somebody else took it meanwhile, in spite of the lock", async () => {
    const kept = createMemoryCredentials();
    const store: typeof kept = {
      ...kept,
      async load(key) {
        const document = await kept.load(key);
        if (key.kind === "pending") await kept.clear(key);
        return document;
      },
    };
    const { oauth, servers } = createWorld({ store });
    const pending = await oauth.begin(spec);
    expect((await errorOf(oauth.complete(servers.visit(pending.url)))).message).toContain("no pending OAuth");
    expect(servers.count(`POST ${issuer}/token`)).toBe(0);
  });

  describe("the issuer of the answer (RFC 9207)", () => {
    const advertised = { authorization_response_iss_parameter_supported: true };
    it.each([
      ["is the one that the user was sent to", {}, issuer, true],
      ["is another", {}, "https://evil.example", false],
      ["has a slash more", {}, `${issuer}/`, false],
      ["is not there, and need not be", {}, undefined, true],
      ["is not there, and was promised", advertised, undefined, false],
      ["is there as promised", advertised, issuer, true],
    ])("%s", async (...[, changes, iss, isGood]) => {
      const { oauth, servers } = createWorld({}, createFakeServers(changes));
      const pending = await oauth.begin(spec);
      const back = servers.visit(pending.url, {
        iss,
        ...(!isGood && { error: "access_denied", error_description: "CALL 555" }),
      });
      if (isGood) return void (await oauth.complete(back));
      const error = await errorOf(oauth.complete(back));
      expect(error.message).toContain("RFC 9207");
      expect(error.message).not.toMatch(/CALL|denied/);
      expect(servers.count(`POST ${issuer}/token`)).toBe(0);
      // Nor can it be tried again.
      expect((await errorOf(oauth.complete(servers.visit(pending.url)))).message).toContain("no pending");
    });
  });

  it.each([
    [{ error: "access_denied" }, /the user declined/],
    [
      { error: "server_error", error_description: "no\u001B[31m \u202Eroom\nhere" },
      /not granted: server_error: no room here$/,
    ],
    [{ code: undefined }, /neither a code nor an error/],
  ])("say what came instead of a code: %j", async (members, text) => {
    const { oauth, servers } = createWorld();
    const pending = await oauth.begin(spec);
    const back = servers.visit(pending.url, { ...members, ...("error" in members && { code: undefined }) });
    const error = await errorOf(oauth.complete(back));
    expect([error.code, error.serverId]).toEqual(["auth_required", "notes"]);
    expect(error.message).toMatch(text);
  });

  it("send the code to the issuer that the user was sent to, whatever the server names meanwhile", async () => {
    const { oauth, servers } = createWorld();
    const pending = await oauth.begin(spec);
    servers.routes.set(`GET ${resourceUrl}`, () =>
      Response.json({ resource: serverUrl, authorization_servers: ["https://evil.example"] }),
    );
    servers.routes.set(`GET ${metadataUrl}`, () => Response.json({ token_endpoint: "https://evil.example/token" }));
    await oauth.complete(servers.visit(pending.url));
    expect(servers.requests.some(({ url }) => url.host === "evil.example")).toBe(false);
  });

  it("keep the tokens that there were until there are new ones", async () => {
    const { oauth, servers, store } = createWorld();
    await oauth.complete(servers.visit((await oauth.begin(spec)).url));
    const before = await store.load({ kind: "account", serverId: "notes" });
    const pending = await oauth.begin(spec);
    servers.routes.set(`POST ${issuer}/token`, () => Response.json({ error: "invalid_grant" }, { status: 400 }));
    await errorOf(oauth.complete(servers.visit(pending.url)));
    expect(await store.load({ kind: "account", serverId: "notes" })).toEqual(before);
  });

  it.each([
    [undefined, `Basic ${btoa("a%3Ab:p%25%2B%C3%A4")}`, null],
    [["client_secret_basic", "client_secret_post"], `Basic ${btoa("a%3Ab:p%25%2B%C3%A4")}`, null],
    [["client_secret_post"], null, "p%+ä"],
    [["none"], null, null],
  ])("prove who the client is where %j is offered (RFC 6749, 2.3.1)", async (methods, header, secret) => {
    const clients = { notes: { clientId: "a:b", clientSecret: "p%+ä" } };
    const servers = createFakeServers({ token_endpoint_auth_methods_supported: methods });
    const { oauth } = createWorld({ clients }, servers);
    const pending = await oauth.begin(spec);
    await errorOf(oauth.complete(servers.visit(pending.url, { code: "x" })));
    const { headers, form } = servers.requests.at(-1) ?? { headers: new Headers(), form: new URLSearchParams() };
    expect([headers.get("authorization"), form.get("client_secret")]).toEqual([header, secret]);
    expect(form.get("client_id")).toBe(header === null ? "a:b" : null);
  });

  it("show no secret when the token endpoint echoes what it was sent", async () => {
    const clients = { notes: { clientId: "me", clientSecret: "s3cr3t-of-the-host" } };
    const { oauth, servers } = createWorld(
      { clients },
      createFakeServers({ token_endpoint_auth_methods_supported: ["client_secret_post"] }),
    );
    const pending = await oauth.begin(spec);
    servers.routes.set(`POST ${issuer}/token`, ({ body }) =>
      Response.json({ error: "invalid_request", error_description: `bad: ${body}` }, { status: 400 }),
    );
    const back = servers.visit(pending.url);
    const error = await errorOf(oauth.complete(back));
    const verifier = servers.requests.at(-1)?.form.get("code_verifier") ?? "none";
    for (const secret of [back.searchParams.get("code") ?? "none", verifier, "s3cr3t-of-the-host"]) {
      expect(`${error.message} ${String(error.stack)} ${String(error.cause)}`).not.toContain(secret);
    }
    expect(error.message).toContain("[redacted]");
  });

  it("refuse what is no code flow, no HTTP and no OAuth", async () => {
    const clients = { robot: { flow: "client_credentials", clientId: "me", clientSecret: "secret-of-it" } } as const;
    const { oauth } = createWorld({ clients });
    const robot = { ...spec, id: "robot" };
    expect((await errorOf(oauth.begin(robot))).message).toContain(
      "not configured for the OAuth authorization_code flow",
    );
    const stdio = { id: "s", type: "stdio", command: "x" } as const;
    expect((await errorOf(oauth.begin(stdio))).message).toContain("only servers over HTTP use OAuth");
    expect((await errorOf(oauth.begin("nobody"))).code).toBe("unknown_server");
  });
});

describe("cancel()", () => {
  it("forgets what was begun, and says whether there was anything", async () => {
    const { oauth, servers } = createWorld();
    expect(await oauth.cancel("notes")).toBe(false);
    const pending = await oauth.begin(spec);
    expect(await oauth.cancel("notes", { principal: "other" })).toBe(false);
    expect(await oauth.cancel("notes")).toBe(true);
    expect(await oauth.cancel("notes")).toBe(false);
    expect((await errorOf(oauth.complete(servers.visit(pending.url)))).message).toContain(
      "no pending OAuth authorization",
    );
  });
});

function without(url: URL, name: string): URL {
  const copy = new URL(url);
  copy.searchParams.delete(name);
  return copy;
}
