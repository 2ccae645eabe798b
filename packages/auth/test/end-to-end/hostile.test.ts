import { createMemoryCredentials } from "@hostside/auth";
import type { ConnectionGuard } from "@hostside/core";
import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attacksOnSigningIn } from "./attacks-on-signing-in.ts";
import { countOf, serverId, startHost, whoami, type SigningHost } from "./signing-host.ts";
import { leaksIn, listenToConsole, textsOf } from "./texts-of.ts";

// One row for each attack: what has to come of it. After every row, no secret is in anything that
// anybody could read or log.

let server: AuthorizedServer;
let other: AuthorizedServer;
let console_: ReturnType<typeof listenToConsole>;
let texts: string[];
beforeAll(async () => {
  [server, other] = await Promise.all([startAuthorizedServer(), startAuthorizedServer()]);
});
afterAll(() => Promise.all([server.close(), other.close()]));
beforeEach(async () => {
  texts = [];
  console_ = listenToConsole();
  await Promise.all([server, other].map((one) => one.control({ clearLog: true, reset: true })));
});
afterEach(async () => {
  console_.stop();
  const secrets = [...(await server.secrets()), ...(await other.secrets())];
  const leaks = leaksIn([...texts, ...console_.printed], secrets);
  if (leaks.length > 0) throw new Error(`secrets can be read:\n${leaks.join("\n")}`);
});

/** Fails with what was to fail; whatever it says is searched for secrets in the end. */
async function failureOf(work: Promise<unknown>): Promise<{ readonly code?: string; readonly message: string }> {
  const failure: unknown = await work.then(
    (value) => expect.fail(`nothing failed, but ${JSON.stringify(value)} came of it`),
    (error: unknown) => error,
  );
  texts.push(...textsOf(failure));
  expect(failure).toBeInstanceOf(Error);
  return failure as Error & { code?: string };
}

async function readAll(
  host: SigningHost,
  ...providers: readonly ReturnType<SigningHost["providerFor"]>[]
): Promise<void> {
  const statuses = providers.map((provider) => provider.statuses());
  for (const value of [await host.oauth.list(), host.diagnostics, statuses]) texts.push(...textsOf(value));
}

describe("signing in at", () => {
  it.each(attacksOnSigningIn)("$title fails", async ({ change, code = "auth_required", ...attack }) => {
    await server.control(typeof change === "function" ? change(other) : change);
    await using host = startHost(server);
    const failure = await failureOf(host.oauth.authorize(host.spec));
    expect(failure).toMatchObject({ code, message: expect.stringMatching(attack.says ?? /./) as string });
    expect(failure.message).toContain('server "notes": ');
    expect(failure.message).not.toContain('"code"'); // In words, not as the list that a schema makes of it.
    for (const [endpoint, count] of Object.entries(attack.asked ?? {})) {
      expect([endpoint, await countOf(server, endpoint)]).toEqual([endpoint, count]);
    }
    expect(host.prompts).toHaveLength(attack.prompts ?? 1);
    expect(await host.oauth.list()).toEqual([]);
    await readAll(host);
  });

  it("a token endpoint that answers twice counts its first answer alone", async () => {
    await server.control({ faults: { token: { do: "twice" } } });
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    await readAll(host, provider);
  });

  it.each([null, "soon", -1, 1e308, {}])(
    "tokens that end in %j seconds are used as long as they work",
    async (life) => {
      await server.control({ faults: { token: { do: "patch", body: { expires_in: life } } } });
      await using host = startHost(server);
      await host.oauth.authorize(host.spec);
      const provider = host.providerFor();
      await provider.init();
      expect(await whoami(provider)).toMatchObject({ user: "ada" });
      await readAll(host, provider);
    },
  );
});

describe("a callback", () => {
  const redirect = "https://product.example/callback";
  const known = { clients: { [serverId]: { clientId: "desk" } }, redirect } as const;

  it("counts once", async () => {
    await using host = startHost(server, known);
    const { url } = await host.oauth.begin(host.spec);
    const callback = await consentTo(url);
    await host.oauth.complete(callback);
    expect(await failureOf(host.oauth.complete(callback))).toMatchObject({ code: "auth_required" });
    expect(await countOf(server, "token")).toBe(1);
  });

  it("counts once, also when it comes twice at the same time", async () => {
    await using host = startHost(server, known);
    const { url } = await host.oauth.begin(host.spec);
    const callback = await consentTo(url);
    const both = await Promise.allSettled([host.oauth.complete(callback), host.oauth.complete(callback)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    for (const one of both) if (one.status === "rejected") texts.push(...textsOf(one.reason));
    expect(await countOf(server, "token")).toBe(1);
  });

  it("of a state that nobody began sends nothing to anybody", async () => {
    await using host = startHost(server, known);
    const { url, state } = await host.oauth.begin(host.spec);
    const callback = await consentTo(url);
    callback.searchParams.set("state", `${state}x`);
    expect(await failureOf(host.oauth.complete(callback))).toMatchObject({ code: "auth_required" });
    callback.searchParams.delete("state");
    expect(await failureOf(host.oauth.complete(callback))).toMatchObject({ code: "auth_required" });
    expect(await countOf(server, "token")).toBe(0);
  });

  it("with somebody else's code signs nobody in", async () => {
    await using attacker = startHost(server, known);
    await using victim = startHost(server, known);
    const theirs = await consentTo((await attacker.oauth.begin(attacker.spec)).url, { user: "mallory" });
    const mine = await consentTo((await victim.oauth.begin(victim.spec)).url);
    mine.searchParams.set("code", theirs.searchParams.get("code") ?? "");
    expect(await failureOf(victim.oauth.complete(mine))).toMatchObject({ code: "auth_required" });
    expect(await victim.oauth.list()).toEqual([]);
  });

  it("with two codes, or two states, is refused", async () => {
    await using host = startHost(server, known);
    for (const name of ["code", "state", "iss"]) {
      const callback = await consentTo((await host.oauth.begin(host.spec)).url);
      callback.searchParams.append(name, "another");
      expect(await failureOf(host.oauth.complete(callback))).toMatchObject({ code: "auth_required" });
    }
    expect(await countOf(server, "token")).toBe(0);
  });

  it("of another issuer shows nothing of what it says", async () => {
    await using host = startHost(server, known);
    const { state } = await host.oauth.begin(host.spec);
    const error = { error: "access_denied", error_description: "call +1 900 EVIL", iss: "https://evil.example" };
    const failure = await failureOf(
      host.oauth.complete(`${redirect}?${new URLSearchParams({ ...error, state }).toString()}`),
    );
    expect(failure).toMatchObject({ code: "auth_required" });
    expect(failure.message).not.toContain("EVIL");
  });

  it("at another path than the user was sent back to is refused, and was nobody's", async () => {
    await using host = startHost(server, known);
    const { url } = await host.oauth.begin(host.spec);
    const { search } = await consentTo(url);
    for (const place of [
      "https://product.example/other",
      "/other",
      "//evil.example/callback",
      "/\\evil.example/callback",
      "callback",
      "",
    ]) {
      expect(await failureOf(host.oauth.complete(`${place}${search}`))).toMatchObject({ code: "auth_required" });
    }
    expect(await countOf(server, "token")).toBe(0);
    expect(await host.oauth.complete(`/callback${search}`)).toMatchObject({ serverId });
  });

  it.each(["http://10.0.0.7:8080/callback", "/callback"])(
    "counts at another origin, as behind a proxy: %s",
    async (place) => {
      await using host = startHost(server, known);
      const { search } = await consentTo((await host.oauth.begin(host.spec)).url);
      expect(await host.oauth.complete(`${place}${search}`)).toMatchObject({ serverId });
    },
  );

  it("of another principal is refused, redeems nothing, and stays that principal's", async () => {
    await using host = startHost(server, known);
    const callback = await consentTo((await host.oauth.begin(host.spec, { principal: "ada" })).url);
    for (const options of [{ principal: "bob" }, {}, { principal: "" }]) {
      expect(await failureOf(host.oauth.complete(callback, options))).toMatchObject({ code: "auth_required" });
    }
    expect(await failureOf(host.oauth.complete(callback))).toMatchObject({
      message: expect.stringContaining("complete() names none: pass { principal }"),
    });
    expect([await countOf(server, "token"), await host.oauth.list()]).toEqual([0, []]);
    expect(await host.oauth.complete(callback, { principal: "ada" })).toMatchObject({ principal: "ada" });
    const own = await consentTo((await host.oauth.begin(host.spec)).url);
    expect(await failureOf(host.oauth.complete(own, { principal: "ada" }))).toMatchObject({ code: "auth_required" });
    await expect(host.oauth.complete(own, { principal: 7 } as never)).rejects.toThrow(
      "principal must be a string, not a number",
    );
  });

  it("of a user who said no says so", async () => {
    await using host = startHost(server, known);
    const callback = await consentTo((await host.oauth.begin(host.spec)).url, { deny: true });
    expect(await failureOf(host.oauth.complete(callback))).toMatchObject({ code: "auth_required" });
    expect(await host.oauth.list()).toEqual([]);
  });
});

describe("the listener", () => {
  it("ignores whoever comes before the user", async () => {
    const visits: number[] = [];
    await using host = startHost(server, {
      async prompt({ url }) {
        const redirectUri = url.searchParams.get("redirect_uri") ?? "";
        const queries = ["?code=evil&state=evil", "?error=access_denied", "", "?code=evil", "?state=&code=evil"];
        for (const query of queries) visits.push((await fetch(`${redirectUri}${query}`)).status);
        const callback = await consentTo(url, { user: "grace" });
        void fetch(callback).catch(() => undefined);
        return "completed";
      },
    });
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    expect(await whoami(provider)).toMatchObject({ user: "grace" });
    expect(visits.filter((status) => status === 200)).toEqual([]);
    await readAll(host, provider);
  });
});

describe("tokens", () => {
  it("of one URL are not sent to another of the same server id", async () => {
    const store = createMemoryCredentials();
    {
      await using host = startHost(server, { store });
      await host.oauth.authorize(host.spec);
    }
    await using host = startHost(other, { store });
    const provider = host.providerFor();
    await provider.init();
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth" }]);
    const sent = (await other.log()).filter(({ authorization }) => authorization !== undefined);
    expect(sent).toEqual([]);
    expect(await countOf(other, "token")).toBe(0);
    await readAll(host, provider);
  });

  it.each([
    ["repeats everything in its error", { do: "echo" }],
    ["repeats everything in invalid_grant", { do: "echo", error: "invalid_grant" }],
    ["redirects within its origin", { do: "redirect", to: "same-origin" }],
    ["redirects to another origin", { do: "redirect", to: "other-origin" }],
    ["answers in HTML", { do: "answer", status: 200, body: "<h1>Hello</h1>" }],
    ["sends a bomb", { do: "flood", bytes: 8_000_000, packed: true }],
  ] as const)("are not spilt by a token endpoint that %s while they are renewed", async (_title, token) => {
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    await server.control({ expire: ["access"], faults: { token } });
    await failureOf(whoami(provider));
    expect(await countOf(server, "elsewhere")).toBe(0);
    expect(host.prompts).toHaveLength(1);
    await readAll(host, provider);
  });

  it("are not renewed where the server's own challenge points to", async () => {
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    await server.control({
      expire: ["access"],
      challenge: { resource_metadata: `${new URL(other.url).origin}/.well-known/oauth-protected-resource/mcp` },
      resourceMetadata: { authorization_servers: [other.issuer] },
    });
    await whoami(provider).catch((error: unknown) => texts.push(...textsOf(error)));
    const secrets = await server.secrets();
    const received = JSON.stringify(await other.log());
    expect(secrets.filter((secret) => received.includes(secret))).toEqual([]);
    await readAll(host, provider);
  });
});

describe("a server's first challenge", () => {
  it.each([
    ["metadata of another origin", () => `${new URL(other.url).origin}/.well-known/oauth-protected-resource/mcp`],
    ["metadata inside", () => "http://169.254.169.254/latest/meta-data"],
    ["metadata of a file", () => "file:///etc/passwd"],
    ["metadata of a scheme that is none", () => "gopher://evil.example/1"],
  ])("that points to %s is not followed there", async (_title, place) => {
    await server.control({ challenge: { resource_metadata: place() } });
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.init();
    await host.oauth.authorize(serverId).catch((error: unknown) => texts.push(...textsOf(error)));
    expect(await other.log()).toEqual([]);
    await readAll(host, provider);
  });

  it("that wants every scope there is, and worse, gets what can be a scope", async () => {
    await server.control({ challenge: { scope: `mcp:use ${"x".repeat(100_000)} "\\\u0000` } });
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.init();
    await host.oauth.authorize(serverId).catch((error: unknown) => texts.push(...textsOf(error)));
    for (const { url } of host.prompts) expect(url.href.length).toBeLessThan(20_000);
    await readAll(host, provider);
  });
});

describe("a guard", () => {
  it("keeps requests from addresses inside, which a server's metadata name over https:", async () => {
    const guard: ConnectionGuard = {
      checkUrl: ({ hostname }) => (hostname === "10.0.0.1" ? { reason: "is inside", rule: "inside" } : undefined),
      checkAddress: () => undefined,
      checkCommand: () => undefined,
    };
    await server.control({ metadata: { token_endpoint: "https://10.0.0.1/token" } });
    await using host = startHost(server, { guard });
    expect(await failureOf(host.oauth.authorize(host.spec))).toMatchObject({ code: "not_allowed" });
    expect(await host.oauth.list()).toEqual([]);
  });

  it("keeps requests to authorization servers from where it says", async () => {
    const guard: ConnectionGuard = {
      checkUrl: ({ pathname }) =>
        pathname.endsWith("/token") ? { reason: "is not for this product", rule: "no-tokens" } : undefined,
      checkAddress: () => undefined,
      checkCommand: () => undefined,
    };
    await using host = startHost(server, { guard });
    expect(await failureOf(host.oauth.authorize(host.spec))).toMatchObject({ code: "not_allowed" });
    expect(await countOf(server, "token")).toBe(0);
  });
});
