import { createEvent } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/error-of.ts";
import { createFakeServers, issuer, resourceUrl, serverUrl, spec } from "../../test/fake-servers.ts";
import { createSignInWorld, never, until } from "../../test/sign-in-world.ts";
import type { AuthParts } from "../account.ts";
import { createAccounts } from "../create-accounts.ts";
import type { OAuthOptions, OAuthPrompt } from "../oauth-options.ts";
import { readOAuthOptions } from "../read-oauth-options.ts";
import { createSigningIn } from "./create-signing-in.ts";

describe("the scopes of a sign-in", () => {
  const withScopes = (...scopes: readonly string[]) => {
    const servers = createFakeServers({ scopes_supported: ["read", "offline_access"] });
    servers.routes.set(`GET ${resourceUrl}`, () =>
      Response.json({ resource: serverUrl, authorization_servers: [issuer], scopes_supported: scopes }),
    );
    return servers;
  };
  const askedBy = async (world: ReturnType<typeof createSignInWorld>, scopes?: readonly string[]) => {
    await world.oauth.authorize(spec, { scopes });
    return world.shown.at(-1)?.url.searchParams.get("scope");
  };

  it("are those that the server lists, and offline_access where that is offered", async () => {
    expect(await askedBy(createSignInWorld({}, withScopes("read", "write")))).toBe("read write offline_access");
  });

  it("are none when nobody names any: offline_access alone would stand for them", async () => {
    expect(await askedBy(createSignInWorld({}, withScopes()))).toBeNull();
  });

  it("are those that are configured, and those of the caller", async () => {
    const clients = { notes: { scopes: ["mine"] } };
    expect(await askedBy(createSignInWorld({ clients }, withScopes("read")), ["more"])).toBe(
      "mine more offline_access",
    );
  });
});

describe("signing in after refusals", () => {
  function createParts(clients: OAuthOptions["clients"] = {}, { hangs = false } = {}) {
    const world = createSignInWorld({ clients });
    const { prompt } = world.all;
    const hang: OAuthPrompt = (request) => (world.shown.push(request), never());
    const settings = readOAuthOptions({ ...world.all, prompt: hangs ? hang : prompt });
    const closing = new AbortController().signal;
    const accounts = createAccounts(settings, closing);
    const parts: AuthParts = {
      settings,
      store: world.store,
      accountOf: (server, principal) => accounts.accountOf(server, principal),
      signedIn: createEvent(),
      signedOut: createEvent(),
      closing,
      redeeming: new Set(),
      unsaved: new Set(),
      begun: new Set(),
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

  it("shows no page once nobody waits for it, and waits for the user once it is shown", async () => {
    const { signingIn, account, shown, servers, receiver } = createParts({}, { hangs: true });
    const register = servers.routes.get(`POST ${issuer}/register`);
    const [first, second] = [new AbortController(), new AbortController()];
    servers.routes.set(`POST ${issuer}/register`, (request) => {
      first.abort();
      return register?.(request) ?? Response.error();
    });
    const refuse = ({ signal: ending }: AbortController) =>
      signingIn.signInAfterRefusal(account, { needsMore: false, signal: ending }).catch(() => "left");
    expect(await refuse(first)).toBe("left");
    await until(() => receiver.ends.length === 1);
    servers.routes.set(`POST ${issuer}/register`, register ?? (() => Response.error()));
    const asking = refuse(second);
    await until(() => shown.length === 1);
    second.abort();
    expect(await asking).toBe("left");
    expect(receiver.ends).toHaveLength(1);
    const again = signingIn.authorize(account, { signal: new AbortController().signal });
    receiver.comeBack(servers.visit(shown[0]?.url ?? new URL("none:")));
    expect(await again).toMatchObject({ serverId: "notes" });
    expect(shown).toHaveLength(1);
  });
});
