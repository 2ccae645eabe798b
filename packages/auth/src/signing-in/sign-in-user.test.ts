import { HostsideError } from "@hostside/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/error-of.ts";
import { createFakeServers, issuer, resourceUrl, spec } from "../../test/fake-servers.ts";
import { createSignInWorld, until } from "../../test/sign-in-world.ts";
import { createOAuth } from "../create-oauth.ts";

describe("authorize()", () => {
  it("shows the page, takes the answer of the listener, and says how it ended there", async () => {
    const { oauth, shown, receiver, store } = createSignInWorld();
    const who = await oauth.authorize(spec);
    expect(who).toMatchObject({ serverId: "notes", clientId: "client-1" });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({ serverId: "notes", title: "Notes" });
    expect(shown[0]?.signal.aborted).toBe(true);
    expect(receiver.ends).toEqual(["signed-in"]);
    expect(await store.load({ kind: "account", serverId: "notes" })).toBeDefined();
    expect(await store.load({ kind: "pending", state: shown[0]?.url.searchParams.get("state") ?? "" })).toBeUndefined();
  });

  it.each([
    ["pasted as text", (back: URL) => ({ callbackUrl: back.href })],
    ["handed over as a URL", (back: URL) => ({ callbackUrl: back })],
  ])("takes the answer %s", async (_, answer) => {
    const servers = createFakeServers();
    const { oauth, receiver } = createSignInWorld({ prompt: async ({ url }) => answer(servers.visit(url)) }, servers);
    await oauth.authorize(spec);
    expect(receiver.ends).toEqual(["signed-in"]);
  });

  it("takes the answer that the product's own page hands to complete()", async () => {
    const servers = createFakeServers();
    const { oauth, shown } = createSignInWorld({ redirect: "https://product.example/back" }, servers);
    const signingIn = oauth.authorize(spec);
    await until(() => shown.length === 1);
    const who = await oauth.complete(servers.visit(shown[0]?.url ?? new URL("none:")));
    expect(await signingIn).toEqual(who);
  });

  it("redeems one answer, whichever of the listener, the prompt and complete() is first, and is signed in by it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const servers = createFakeServers();
        const tokens = servers.routes.get(`POST ${issuer}/token`);
        servers.routes.set(`POST ${issuer}/token`, async (request) => {
          await scheduler.schedule(Promise.resolve(), "token");
          return tokens?.(request) ?? Response.error();
        });
        let elsewhere: Promise<unknown> = Promise.resolve();
        const { oauth, receiver } = createSignInWorld(
          {
            async prompt({ url }) {
              const back = servers.visit(url);
              void scheduler.schedule(Promise.resolve(), "listener").then(() => receiver.comeBack(back));
              elsewhere = scheduler
                .schedule(Promise.resolve(), "complete")
                .then(() => oauth.complete(back).catch(() => "late"));
              await scheduler.schedule(Promise.resolve(), "prompt");
              return { callbackUrl: back };
            },
          },
          servers,
        );
        const signingIn = oauth.authorize(spec);
        await scheduler.waitFor(signingIn);
        await scheduler.waitFor(elsewhere);
        expect(await signingIn).toMatchObject({ serverId: "notes" });
        expect(servers.count(`POST ${issuer}/token`)).toBe(1);
        expect(receiver.ends).toEqual(["signed-in"]);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    "https://mcp.example:8443/mcp?tenant=a&api_key=topsecretvalue1",
    "https://[2001:db8::1]:8443/mcp",
    "http://[::1]:3000/mcp",
    "https://mcp.example",
  ])("signs in to a server at %s, and shows no secret of its URL", async (url) => {
    const servers = createFakeServers();
    servers.routes.delete(`GET ${resourceUrl}`);
    const { origin, pathname } = new URL(url);
    const place = `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
    servers.routes.set(`GET ${place}`, () => Response.json({ resource: url, authorization_servers: [issuer] }));
    const { oauth, shown } = createSignInWorld({}, servers);
    const who = await oauth.authorize({ id: "odd", type: "http", url, auth: "oauth" });
    expect(shown[0]?.url.searchParams.get("resource")).toBe(url);
    expect(who.serverUrl).toContain(new URL(url).host);
    expect(await oauth.list()).toEqual([who]);
    expect(JSON.stringify(who)).not.toContain("topsecretvalue1");
  });

  it("asks one user once when many want the same, and each principal for itself", async () => {
    const { oauth, shown } = createSignInWorld();
    await Promise.all([oauth.authorize(spec), oauth.authorize("notes"), oauth.authorize(spec)]);
    expect(shown).toHaveLength(1);
    await Promise.all([oauth.authorize(spec), oauth.authorize("notes")]);
    expect(shown).toHaveLength(2);
    await oauth.authorize(spec, { principal: "ann" });
    expect(shown.map(({ principal }) => principal)).toEqual([undefined, undefined, "ann"]);
  });

  it("goes on for the others when one gives up, and ends when nobody wants it", async () => {
    const { hanging, receiver, clock, shown } = createSignInWorld();
    const [first, second] = [new AbortController(), new AbortController()];
    const one = errorOf(hanging.authorize(spec, { signal: first.signal }));
    const two = errorOf(hanging.authorize(spec, { signal: second.signal }));
    await until(() => shown.length === 1);
    first.abort();
    expect((await one).code).toBe("aborted");
    expect(receiver.ends).toEqual([]);
    second.abort();
    expect((await two).code).toBe("aborted");
    await until(() => receiver.ends.length > 0);
    expect(receiver.ends).toEqual(["failed"]);
    expect(clock.pending).toBe(0);
  });

  it("starts anew for who comes right after the last one gave up", async () => {
    const { hanging, shown } = createSignInWorld();
    const caller = new AbortController();
    const first = errorOf(hanging.authorize(spec, { signal: caller.signal }));
    await until(() => shown.length === 1);
    caller.abort();
    await first;
    const second = errorOf(hanging.authorize(spec));
    await until(() => shown.length === 2);
    await hanging.cancel("notes");
    expect((await second).message).toContain("cancelled");
  });

  it("is signed in by an answer that is being redeemed when the prompt says that the user cancelled", async () => {
    const servers = createFakeServers();
    const { oauth, receiver } = createSignInWorld(
      {
        async prompt({ url }) {
          receiver.comeBack(servers.visit(url));
          await until(() => servers.count(`POST ${issuer}/token`) === 1);
          return "cancelled";
        },
      },
      servers,
    );
    const tokens = servers.routes.get(`POST ${issuer}/token`);
    servers.routes.set(`POST ${issuer}/token`, async (request) => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return tokens?.(request) ?? Response.error();
    });
    expect(await oauth.authorize(spec)).toMatchObject({ serverId: "notes" });
  });

  describe("tells apart", () => {
    it("nobody to ask: no page, no request, no client", async () => {
      const { oauth, servers } = createSignInWorld({ prompt: undefined });
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("unsupported_operation");
      expect(error.message).toContain("no prompt callback installed");
      expect(servers.requests).toEqual([]);
    });

    it("a user who does not want to: nothing changes", async () => {
      const { oauth, receiver, store } = createSignInWorld({ prompt: async () => "cancelled" });
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("auth_required");
      expect(error.message).toContain("the user cancelled");
      expect(receiver.ends).toEqual(["failed"]);
      expect(await store.load({ kind: "account", serverId: "notes" })).toBeUndefined();
    });

    it("a prompt that fails: its error is the cause", async () => {
      const broken = new HostsideError("no browser here", { code: "unsupported_operation" });
      const { oauth } = createSignInWorld({ prompt: () => Promise.reject(broken) });
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("auth_required");
      expect(error.message).toMatch(/the host did not show the authorization page: no browser here$/);
      expect(error.cause).toBe(broken);
    });

    it("a prompt that has no way to show it: the page can be opened by hand, and what it ends at be handed to complete()", async () => {
      const scopes = Array.from({ length: 40 }, (_, at) => `a-scope-with-a-long-name-${at}`);
      const broken = async (): Promise<never> => {
        throw new HostsideError("no browser here", { code: "auth_required" });
      };
      const { oauth, all, servers, receiver } = createSignInWorld({ clients: { notes: { scopes } } });
      await oauth.authorize(spec);
      const error = await errorOf(createOAuth({ ...all, prompt: broken }).authorize(spec));
      expect(receiver.ends).toEqual(["signed-in", "failed"]);
      const [page = ""] = /https:\S+/.exec(error.message) ?? [];
      expect(page.length).toBeGreaterThan(1000);
      expect(await oauth.complete(servers.visit(new URL(page)))).toMatchObject({ clientId: "client-1" });
      await oauth.authorize(spec);
      expect(servers.count(`POST ${issuer}/register`)).toBe(1);
    });
  });

  it.each([
    ["cancel()", (oauth: ReturnType<typeof createOAuth>) => oauth.cancel("notes"), "auth_required"],
    ["close()", (oauth: ReturnType<typeof createOAuth>) => oauth.close(), "closed"],
  ])("ends by %s, and leaves no listener and no timer", async (_, end, code) => {
    const { hanging: oauth, receiver, clock, shown, store } = createSignInWorld();
    const signingIn = errorOf(oauth.authorize(spec));
    await until(() => shown.length === 1);
    await end(oauth);
    expect((await signingIn).code).toBe(code);
    expect(receiver.ends).toEqual(["failed"]);
    const state = shown[0]?.url.searchParams.get("state") ?? "";
    expect(await store.load({ kind: "pending", state })).toBeUndefined();
    expect(shown[0]?.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("saves what is being redeemed when close() comes, and close() waits for it", async () => {
    const { oauth, servers, store } = createSignInWorld();
    const tokens = servers.routes.get(`POST ${issuer}/token`);
    let answer: () => void = () => {};
    servers.routes.set(`POST ${issuer}/token`, async (request) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return tokens?.(request) ?? Response.error();
    });
    const signingIn = errorOf(oauth.authorize(spec));
    await until(() => servers.count(`POST ${issuer}/token`) === 1);
    let isClosed = false;
    const closing = oauth.close().then(() => (isClosed = true));
    expect((await signingIn).code).toBe("closed");
    expect(isClosed).toBe(false);
    answer();
    await closing;
    expect(await store.load({ kind: "account", serverId: "notes" })).toBeDefined();
    expect((await errorOf(oauth.authorize(spec))).code).toBe("closed");
  });

  it("ends after ten minutes without an answer", async () => {
    const { hanging: oauth, clock, receiver, shown } = createSignInWorld();
    const signingIn = errorOf(oauth.authorize(spec));
    await until(() => shown.length === 1);
    clock.advance(600_000);
    expect((await signingIn).message).toContain("did not come back");
    expect(receiver.ends).toEqual(["failed"]);
  });

  it("shows no page that is neither https: nor on this machine", async () => {
    for (const page of [
      "http://as.example/authorize",
      "ms-evil://x",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "https://accounts.example@evil.example/authorize",
    ]) {
      const { oauth, shown } = createSignInWorld({}, createFakeServers({ authorization_endpoint: page }));
      expect((await errorOf(oauth.authorize(spec))).code).toBe("auth_required");
      expect(shown).toEqual([]);
    }
  });

  describe("a client that its authorization server has forgotten", () => {
    it("is registered once more, and the user asked again", async () => {
      const { oauth, servers, shown, all } = createSignInWorld();
      await oauth.authorize(spec);
      const tokens = servers.routes.get(`POST ${issuer}/token`);
      servers.routes.set(`POST ${issuer}/token`, (request) =>
        request.form.get("client_id") === "client-1"
          ? Response.json({ error: "invalid_client" }, { status: 401 })
          : (tokens?.(request) ?? Response.error()),
      );
      const again = createOAuth(all);
      expect(await again.authorize(spec)).toMatchObject({ clientId: "client-2" });
      expect(shown).toHaveLength(3);
    });

    it("is not registered again and again", async () => {
      const { oauth, servers, shown } = createSignInWorld();
      servers.routes.set(`POST ${issuer}/token`, () => Response.json({ error: "invalid_client" }, { status: 401 }));
      await errorOf(oauth.authorize(spec));
      await errorOf(oauth.authorize(spec));
      expect(shown).toHaveLength(2);
      expect(servers.count(`POST ${issuer}/register`)).toBe(2);
    });

    it("is forgotten when nobody comes back from its page", async () => {
      const { oauth, hanging, servers, shown, clock } = createSignInWorld();
      await oauth.authorize(spec);
      const signingIn = errorOf(hanging.authorize(spec));
      await until(() => shown.length === 2);
      clock.advance(600_000);
      await signingIn;
      await oauth.authorize(spec);
      expect(servers.count(`POST ${issuer}/register`)).toBe(2);
    });
  });

  it("listens at any port for a client that is registered without one (RFC 8252, 7.3)", async () => {
    const clients = { notes: { clientId: "mine", redirectUri: "http://127.0.0.1/callback" } };
    const { oauth } = createSignInWorld({ clients });
    expect(await oauth.authorize(spec)).toMatchObject({ clientId: "mine" });
  });

  it("listens where the client is registered, and registers anew where that cannot be had", async () => {
    const { oauth, servers, receiver } = createSignInWorld();
    receiver.ports.push(4000, 4000, 5000);
    await oauth.authorize(spec);
    await oauth.authorize(spec, { principal: "ann" });
    expect(servers.count(`POST ${issuer}/register`)).toBe(1);
    expect(receiver.expected.map(({ preferredUri }) => preferredUri)).toEqual([
      undefined,
      "http://127.0.0.1:4000/callback",
    ]);
    expect(await oauth.authorize(spec)).toMatchObject({ clientId: "client-2" });
    expect(await oauth.authorize(spec, { principal: "bob" })).toMatchObject({ clientId: "client-3" });
    expect(receiver.expected.at(-1)?.preferredUri).toBe("http://127.0.0.1:5000/callback");
  });
});
