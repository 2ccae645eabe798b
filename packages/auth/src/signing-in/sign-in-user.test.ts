import { ToolportError } from "@toolport/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { errorOf } from "../../test/error-of.ts";
import { createFakeServers, issuer, resourceUrl, serverUrl, spec } from "../../test/fake-servers.ts";
import { createAccounts } from "../create-accounts.ts";
import { createOAuth } from "../create-oauth.ts";
import type { AuthParts } from "../auth-parts.ts";
import type {
  OAuthOptions,
  PromptAnswer,
  PromptRequest,
  RedirectExpectation,
  RedirectReceiver,
} from "../oauth-options.ts";
import { readOAuthOptions } from "../read-oauth-options.ts";
import { createMemoryCredentials } from "../store/create-memory-credentials.ts";
import { createEvent } from "@toolport/core/implement";
import { createSigningIn } from "./create-signing-in.ts";

interface FakeReceiver extends RedirectReceiver {
  readonly expected: RedirectExpectation[];
  readonly ends: (string | undefined)[];
  /** Has a user come back to the latest listener. */
  comeBack(url: URL): void;
  /** Ports that are to be had, first to last; then `4000`. */
  readonly ports: number[];
}

function createReceiver(): FakeReceiver {
  const expected: RedirectExpectation[] = [];
  const ends: (string | undefined)[] = [];
  const ports: number[] = [];
  let come: (url: URL) => void = () => {};
  return {
    expected,
    ends,
    ports,
    comeBack: (url) => come(url),
    async listen(expectation) {
      expected.push(expectation);
      const answer = new Promise<URL>((resolve) => (come = resolve));
      return {
        redirectUri: `http://127.0.0.1:${ports.shift() ?? 4000}/callback`,
        receive: () => answer,
        async close(end) {
          ends.push(end);
        },
      };
    },
  };
}

const never = <T>(): Promise<T> => new Promise(() => {});

function createWorld(options: Partial<OAuthOptions> = {}, servers = createFakeServers()) {
  const clock = createVirtualClock();
  const store = createMemoryCredentials({ clock });
  const receiver = createReceiver();
  const shown: PromptRequest[] = [];
  const agree = async (request: PromptRequest): Promise<PromptAnswer> => {
    shown.push(request);
    receiver.comeBack(servers.visit(request.url));
    return "completed";
  };
  const all: OAuthOptions = { clock, store, redirect: receiver, prompt: agree, fetch: servers.fetch, ...options };
  const hang = (request: PromptRequest): Promise<PromptAnswer> => (shown.push(request), never());
  /** The same with a user who does nothing. */
  const hanging = createOAuth({ ...all, prompt: hang });
  return { clock, store, servers, receiver, shown, all, oauth: createOAuth(all), hanging };
}

/** Lets all else go on until something is so; time stands still. */
const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 20_000 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo()).toBe(true);
};

describe("authorize()", () => {
  it("shows the page, takes the answer of the listener, and says how it ended there (EV-51)", async () => {
    const { oauth, shown, receiver, store } = createWorld();
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
    const { oauth, receiver } = createWorld({ prompt: async ({ url }) => answer(servers.visit(url)) }, servers);
    await oauth.authorize(spec);
    expect(receiver.ends).toEqual(["signed-in"]);
  });

  it("takes the answer that the product's own page hands to complete()", async () => {
    const servers = createFakeServers();
    const { oauth, shown } = createWorld({ redirect: "https://product.example/back" }, servers);
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
        const { oauth, receiver } = createWorld(
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
      { numRuns: 40 },
    );
  });

  it("asks one user once when many want the same, and each principal for itself", async () => {
    const { oauth, shown } = createWorld();
    await Promise.all([oauth.authorize(spec), oauth.authorize("notes"), oauth.authorize(spec)]);
    expect(shown).toHaveLength(1);
    await Promise.all([oauth.authorize(spec), oauth.authorize("notes")]);
    expect(shown).toHaveLength(2);
    await oauth.authorize(spec, { principal: "ann" });
    expect(shown.map(({ principal }) => principal)).toEqual([undefined, undefined, "ann"]);
  });

  it("goes on for the others when one gives up, and ends when nobody wants it", async () => {
    const { hanging, receiver, clock, shown } = createWorld();
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

  describe("tells apart (EV-50)", () => {
    it("nobody to ask: no page, no request, no client", async () => {
      const { oauth, servers } = createWorld({ prompt: undefined });
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("unsupported_operation");
      expect(error.message).toContain("no prompt callback installed");
      expect(servers.requests).toEqual([]);
    });

    it("a user who does not want to: nothing changes", async () => {
      const { oauth, receiver, store } = createWorld({ prompt: async () => "cancelled" });
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("auth_required");
      expect(error.message).toContain("the user cancelled");
      expect(receiver.ends).toEqual(["failed"]);
      expect(await store.load({ kind: "account", serverId: "notes" })).toBeUndefined();
    });

    it("a prompt that fails: its error is the cause", async () => {
      const broken = new ToolportError("no browser here", { code: "unsupported_operation" });
      const { oauth } = createWorld({ prompt: () => Promise.reject(broken) });
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("auth_required");
      expect(error.message).toContain("could not be shown");
      expect(error.cause).toBe(broken);
    });

    it("a prompt that answers what means nothing", async () => {
      const { oauth } = createWorld({ prompt: async () => JSON.parse('"yes"') });
      expect((await errorOf(oauth.authorize(spec))).code).toBe("internal_error");
    });
  });

  it.each([
    ["cancel()", (oauth: ReturnType<typeof createOAuth>) => oauth.cancel("notes"), "auth_required"],
    ["close()", (oauth: ReturnType<typeof createOAuth>) => oauth.close(), "closed"],
  ])("ends by %s, and leaves no listener and no timer", async (_, end, code) => {
    const { hanging: oauth, receiver, clock, shown } = createWorld();
    const signingIn = errorOf(oauth.authorize(spec));
    await until(() => shown.length === 1);
    await end(oauth);
    expect((await signingIn).code).toBe(code);
    expect(receiver.ends).toEqual(["failed"]);
    expect(shown[0]?.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("saves what is being redeemed when close() comes, and close() waits for it", async () => {
    const { oauth, servers, store } = createWorld();
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
    const { hanging: oauth, clock, receiver, shown } = createWorld();
    const signingIn = errorOf(oauth.authorize(spec));
    await until(() => shown.length === 1);
    clock.advance(600_000);
    expect((await signingIn).message).toContain("did not come back");
    expect(receiver.ends).toEqual(["failed"]);
  });

  it("shows no page that is neither https: nor on this machine", async () => {
    for (const page of ["http://as.example/authorize", "ms-evil://x", "file:///etc/passwd", "javascript:alert(1)"]) {
      const { oauth, shown } = createWorld({}, createFakeServers({ authorization_endpoint: page }));
      expect((await errorOf(oauth.authorize(spec))).code).toBe("auth_required");
      expect(shown).toEqual([]);
    }
  });

  describe("a client that its authorization server has forgotten", () => {
    it("is registered once more, and the user asked again", async () => {
      const { oauth, servers, shown, all } = createWorld();
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
      const { oauth, servers, shown } = createWorld();
      servers.routes.set(`POST ${issuer}/token`, () => Response.json({ error: "invalid_client" }, { status: 401 }));
      await errorOf(oauth.authorize(spec));
      await errorOf(oauth.authorize(spec));
      expect(shown).toHaveLength(2);
      expect(servers.count(`POST ${issuer}/register`)).toBe(2);
    });

    it("is forgotten when nobody comes back from its page", async () => {
      const { oauth, hanging, servers, shown, clock } = createWorld();
      await oauth.authorize(spec);
      const signingIn = errorOf(hanging.authorize(spec));
      await until(() => shown.length === 2);
      clock.advance(600_000);
      await signingIn;
      await oauth.authorize(spec);
      expect(servers.count(`POST ${issuer}/register`)).toBe(2);
    });
  });

  it("listens where the client is registered, and registers anew where that cannot be had", async () => {
    const { oauth, servers, receiver } = createWorld();
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

describe("the scopes of a sign-in", () => {
  const withScopes = (...scopes: readonly string[]) => {
    const servers = createFakeServers({ scopes_supported: ["read", "offline_access"] });
    servers.routes.set(`GET ${resourceUrl}`, () =>
      Response.json({ resource: serverUrl, authorization_servers: [issuer], scopes_supported: scopes }),
    );
    return servers;
  };
  const askedBy = async (world: ReturnType<typeof createWorld>, scopes?: readonly string[]) => {
    await world.oauth.authorize(spec, { scopes });
    return world.shown.at(-1)?.url.searchParams.get("scope");
  };

  it("are those that the server lists, and offline_access where that is offered", async () => {
    expect(await askedBy(createWorld({}, withScopes("read", "write")))).toBe("read write offline_access");
  });

  it("are none when nobody names any: offline_access alone would stand for them", async () => {
    expect(await askedBy(createWorld({}, withScopes()))).toBeNull();
  });

  it("are those that are configured, and those of the caller", async () => {
    const clients = { notes: { scopes: ["mine"] } };
    expect(await askedBy(createWorld({ clients }, withScopes("read")), ["more"])).toBe("mine more offline_access");
  });
});

describe("signing in after refusals", () => {
  function createParts(clients: OAuthOptions["clients"] = {}) {
    const world = createWorld({ clients });
    const settings = readOAuthOptions(world.all);
    const closing = new AbortController().signal;
    const accounts = createAccounts(settings, closing);
    const parts: AuthParts = {
      settings,
      store: world.store,
      clock: world.clock,
      accountOf: (server, principal) => accounts.accountOf(server, principal),
      signedIn: createEvent(),
      closing,
      signInAfterRefusal: (account, refusal) => signingIn.signInAfterRefusal(account, refusal),
    };
    const signingIn = createSigningIn(parts);
    return { ...world, signingIn, account: parts.accountOf(spec, undefined), signal: closing };
  }

  it("asks for what was granted as well as for what is missing", async () => {
    const { signingIn, account, signal, shown } = createParts();
    account.hints.scope = "read";
    await signingIn.authorize(account, { signal });
    account.hints.scope = "write";
    await signingIn.signInAfterRefusal(account, { needsMore: true, signal });
    expect(shown.at(-1)?.url.searchParams.get("scope")?.split(" ").toSorted()).toEqual(["read", "write"]);
  });

  it("asks for no more than is configured until a refusal asks for more", async () => {
    const { signingIn, account, signal, shown } = createParts({ notes: { scopes: ["mine"] } });
    account.hints.scope = "theirs";
    await signingIn.authorize(account, { signal });
    expect(shown.at(-1)?.url.searchParams.get("scope")).toBe("mine");
    await signingIn.signInAfterRefusal(account, { needsMore: true, signal });
    expect(shown.at(-1)?.url.searchParams.get("scope")).toBe("mine theirs");
  });

  it("asks three times in ten minutes; authorize() asks whenever it is called", async () => {
    const { signingIn, account, signal, shown, clock } = createParts();
    const refused = { needsMore: false, signal };
    for (let turn = 0; turn < 3; turn += 1) await signingIn.signInAfterRefusal(account, refused);
    const error = await errorOf(signingIn.signInAfterRefusal(account, refused));
    expect(error.message).toContain("3 sign-ins of the last ten minutes");
    await signingIn.authorize(account, { signal });
    expect(shown).toHaveLength(4);
    clock.advance(600_000);
    await signingIn.signInAfterRefusal(account, refused);
    expect(shown).toHaveLength(5);
  });
});
