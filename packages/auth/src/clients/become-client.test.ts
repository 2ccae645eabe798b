import type { JsonObject } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { useVirtualClock, firstDate } from "../../../provider/test/simulation/virtual-clock.ts";
import { errorOf } from "../../test/error-of.ts";
import { createFakeServers, issuer, metadataOf, spec } from "../../test/fake-servers.ts";
import type { AuthParts } from "../account.ts";
import { createAccounts } from "../create-accounts.ts";
import { readServerMetadata } from "../discovering/read-metadata.ts";
import type { OAuthOptions } from "../oauth-options.ts";
import { readOAuthOptions } from "../read-oauth-options.ts";
import { createMemoryCredentials } from "../store/create-memory-credentials.ts";
import { becomeClient, forgetClient } from "./become-client.ts";

const page = "https://product.example/back";
const loopback = "http://127.0.0.1:4000/callback";
const cimd = "https://product.example/client.json";

function createWorld(options: Partial<OAuthOptions> = {}, changes: JsonObject = {}) {
  const servers = createFakeServers();
  const clock = useVirtualClock();
  const settings = readOAuthOptions({ fetch: servers.fetch, ...options });
  const closing = new AbortController().signal;
  const accounts = createAccounts(settings, closing);
  const parts: AuthParts = {
    settings,
    store: settings.store,
    closing,
    redeeming: new Set(),
    unsaved: new Set(),
    begun: new Set(),
    accountOf: (server, principal) => accounts.accountOf(server, principal),
    signedIn: createEvent(),
    signedOut: createEvent(),
    signInAfterRefusal: () => Promise.reject(new Error("nobody signs in here")),
  };
  const become = (redirectUri = page, scope?: string, principal?: string) => {
    const account = parts.accountOf(spec, principal);
    const metadata = readServerMetadata(account, metadataOf(changes));
    const discovered = { issuer, metadata, scopes: [], wantsDpop: false, isPublished: true };
    return becomeClient(parts, account, { discovered, redirectUri, scope, signal: closing });
  };
  const answer = (body: JsonObject, status = 201) =>
    servers.routes.set(`POST ${issuer}/register`, () => Response.json(body, { status }));
  return { servers, clock, parts, become, answer, registered: () => servers.count(`POST ${issuer}/register`) };
}

describe("becomeClient()", () => {
  it("is the client that is configured, before any other way", async () => {
    const clients = { notes: { clientId: "me", clientSecret: "secret-of-me" } };
    const { become, registered } = createWorld(
      { clients, product: { metadataUrl: cimd } },
      { client_id_metadata_document_supported: true },
    );
    expect((await become()).client).toEqual({ clientId: "me", clientSecret: "secret-of-me", way: "pre-registered" });
    expect(registered()).toBe(0);
  });

  it("is the product's metadata document where the authorization server takes one, and registers where not", async () => {
    const product = { metadataUrl: cimd };
    const taken = createWorld({ product }, { client_id_metadata_document_supported: true });
    expect((await taken.become()).client).toEqual({ clientId: cimd, way: "metadata-document", authMethod: "none" });
    expect(taken.registered()).toBe(0);
    expect((await createWorld({ product }).become()).client).toMatchObject({ clientId: "client-1", way: "dynamic" });
  });

  it.each([
    [page, undefined, "web", "client_secret_basic"],
    [page, ["none", "client_secret_post"], "web", "client_secret_post"],
    ["https://localhost:3000/callback", undefined, "web", "client_secret_basic"],
    [loopback, ["client_secret_basic", "none"], "native", "none"],
    [loopback, undefined, "native", "none"],
    ["com.example.app:/back", ["client_secret_post"], "native", "client_secret_post"],
  ])("registers for %s with %j as %s and %s", async (...[redirectUri, methods, type, method]) => {
    const { become, servers } = createWorld(
      { product: { name: "Acme" } },
      { token_endpoint_auth_methods_supported: methods },
    );
    await become(redirectUri, "read write");
    expect(JSON.parse(servers.requests.at(-1)?.body ?? "")).toEqual({
      client_name: "Acme",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: type,
      token_endpoint_auth_method: method,
      scope: "read write",
    });
  });

  it("registers once for all principals, at the same time and later", async () => {
    const { become, registered } = createWorld();
    const all = await Promise.all([become(), become(page, undefined, "ann"), become(page, undefined, "bob")]);
    expect(new Set(all.map(({ client }) => client.clientId))).toEqual(new Set(["client-1"]));
    expect(registered()).toBe(1);
  });

  it("registers once among several that share the store", async () => {
    const store = createMemoryCredentials();
    const [one, two] = [createWorld({ store }), createWorld({ store })];
    await Promise.all([one.become(), two.become(), one.become(), two.become()]);
    expect(one.registered() + two.registered()).toBe(1);
  });

  it("registers anew when the registration ends", async () => {
    const { become, answer, registered, clock } = createWorld();
    answer({ client_id: "x", client_secret: "secret-of-x", client_secret_expires_at: firstDate / 1000 + 600 });
    expect((await become()).client).toMatchObject({ clientId: "x", secretExpiresAt: firstDate + 600_000 });
    clock.advance(530_000);
    expect(await become()).toMatchObject({ isKept: true });
    clock.advance(20_000);
    expect(await become()).toMatchObject({ isKept: false });
    expect(registered()).toBe(2);
  });

  it("registers anew for scopes that the authorization server did not let it have, once", async () => {
    const { become, answer, registered } = createWorld();
    answer({ client_id: "x", scope: "read" });
    await become(page, "read");
    await become(page, "read");
    expect(registered()).toBe(1);
    await become(page, "read write");
    await become(page, "read write");
    expect(registered()).toBe(2);
  });

  it("forgets a client, and not the one that took its place", async () => {
    const { become, registered, parts } = createWorld();
    const account = parts.accountOf(spec, undefined);
    const { client } = await become();
    await forgetClient(parts, account, { issuer, redirectUri: page, clientId: "another" });
    await become();
    expect(registered()).toBe(1);
    await forgetClient(parts, account, { issuer, redirectUri: page, clientId: client.clientId });
    await become();
    expect(registered()).toBe(2);
  });

  it("lists every way that was tried, and why each failed", async () => {
    const { become, answer } = createWorld();
    answer({ error: "invalid_redirect_uri", error_description: `no\u001B[1m ${"x".repeat(5000)}` }, 400);
    const error = await errorOf(become());
    expect(error.code).toBe("auth_required");
    expect(error.message).toMatch(
      /\(1\) pre-registered: .*\(2\) Client ID Metadata Document: .*\(3\) Dynamic Client Registration: it answered HTTP 400 \(invalid_redirect_uri: no x+…\)\./,
    );
    expect(error.message.length).toBeLessThan(1500);
  });

  it.each([
    ["no client id", { client_name: "x" }, /Dynamic Client Registration/],
    ["a blank one", { client_id: "  " }, /without a usable client_id/],
    [
      "another way to prove itself",
      { client_id: "x", token_endpoint_auth_method: "tls_client_auth" },
      /tls_client_auth/,
    ],
    ["a secret that has ended", { client_id: "x", client_secret: "secret-x", client_secret_expires_at: 1 }, /ended/],
  ])("takes no registration with %s", async (...[, body, text]) => {
    const { become, answer, parts } = createWorld();
    answer(body);
    expect((await errorOf(become())).message).toMatch(text);
    expect(await parts.store.load({ kind: "client", issuer, redirectUri: page })).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ["of a newer version", { version: 2 }],
    ["with a scope that is none", { scope: 5 }],
    ["with an asked scope that is none", { askedScope: ["read"] }],
    ["with a redirect URI that is none", { redirectUri: 7 }],
    ["without a client", { client: null }],
  ])("leaves a stored client %s as it is", async (_what, changes) => {
    const { become, parts, registered } = createWorld();
    const key = { kind: "client", issuer, redirectUri: page } as const;
    await become();
    const spoilt = { ...(await parts.store.load(key)), ...changes };
    await parts.store.save(key, spoilt);
    for (const scope of [undefined, "read"])
      expect(await errorOf(become(page, scope))).toMatchObject({ code: "store_failed" });
    expect(registered()).toBe(1);
    expect(await parts.store.load(key)).toEqual(spoilt);
  });
});
