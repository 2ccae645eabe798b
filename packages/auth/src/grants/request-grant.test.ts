import { verify, type KeyObject } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { generateKeyPair } from "../../../../fixtures/src/authorization/generate-key-pair.ts";
import { firstDate } from "../../../provider/test/simulation/virtual-clock.ts";
import { deferred, failureOf, secret, server, setUp, token, withSecret } from "../../test/grant-stage.ts";
import { issuer, serverUrl } from "../../test/token-world.ts";
import type { Account } from "../account.ts";
import { toSignedIn } from "../accounts/stored-account.ts";
import { readAccount } from "../accounts/account-documents.ts";
import type { GrantServer } from "./request-grant.ts";

describe("client_credentials", () => {
  it("sends id and secret in the header, encoded as a form, and saves what it gets", async () => {
    const { grant, seen, parts, account } = setUp(withSecret, { ...token, refresh_token: "refresh-1" });
    const got = await grant();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.form).toEqual({ grant_type: "client_credentials", resource: serverUrl, scope: "read write" });
    const [, sent = ""] = /^Basic (.+)$/.exec(seen[0]?.headers.get("authorization") ?? "") ?? [];
    expect(Buffer.from(sent, "base64").toString()).toBe("the+client:s3cr%25t%2Bof%2Fthe%3Dclient");
    expect(toSignedIn(account, got)).toMatchObject({ clientId: "the client", scopes: ["read", "write"], renews: true });
    expect(got).toMatchObject({ accessToken: "access-1", tokenType: "Bearer", expiresAt: firstDate + 600_000 });
    expect(await readAccount(parts, account)).toEqual(got);
    // Neither is needed again: the secret is the configuration's, and another grant is as good as a
    // refresh.
    expect(JSON.stringify(got)).not.toMatch(/refresh-1|s3cr/);
  });

  it.each([
    [["client_secret_post"], "post"],
    [["client_secret_post", "client_secret_basic"], "basic"],
    [undefined, "basic"],
  ])("sends the secret as %j want it", async (supported, expected) => {
    const { grant, seen } = setUp(withSecret);
    const metadata = { ...server.metadata, ...(supported && { token_endpoint_auth_methods_supported: supported }) };
    await grant({ server: { ...server, metadata } });
    const isPost = seen[0]?.form["client_secret"] === secret && seen[0].form["client_id"] === "the client";
    expect([isPost, seen[0]?.headers.has("authorization")]).toEqual([expected === "post", expected === "basic"]);
  });

  it.each([
    ["PKCS #8", (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }))],
    ["a JWK", (key: KeyObject) => ({ ...key.export({ format: "jwk" }), kid: "of-the-jwk" })],
  ])("signs an assertion for the issuer with a key as %s", async (kind, write) => {
    const { publicKey, privateKey } = generateKeyPair();
    const given = {
      key: write(privateKey) as string,
      algorithm: "ES256",
      ...(kind === "PKCS #8" && { keyId: "given" }),
    };
    const { grant, seen } = setUp({ flow: "client_credentials", clientId: "host", privateKey: given });
    await grant();
    const { client_assertion: assertion = "", ...form } = seen[0]?.form ?? {};
    expect(form).toMatchObject({
      client_id: "host",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    const [header = "", claims = "", signature = ""] = assertion.split(".");
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(header)).toEqual({ alg: "ES256", typ: "JWT", kid: kind === "PKCS #8" ? "given" : "of-the-jwk" });
    const now = firstDate / 1000;
    expect(read(claims)).toMatchObject({ iss: "host", sub: "host", aud: issuer, iat: now, exp: now + 120 });
    const input = Buffer.from(`${header}.${claims}`);
    const key = { key: publicKey, dsaEncoding: "ieee-p1363" as const };
    expect(verify("sha256", input, key, Buffer.from(signature, "base64url"))).toBe(true);
  });

  it("signs another assertion each time", async () => {
    const privateKey = {
      key: generateKeyPair().privateKey.export({ format: "jwk" }) as { kty: "EC" },
      algorithm: "ES256",
    };
    const { grant, seen } = setUp({ flow: "client_credentials", clientId: "host", privateKey });
    const { accessToken } = await grant();
    await grant({ refused: accessToken });
    expect(seen[0]?.form["client_assertion"]).not.toBe(seen[1]?.form["client_assertion"]);
  });

  it("says that a key cannot be read, and does not show it", async () => {
    const key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0LXNlY3JldA==\n-----END PRIVATE KEY-----";
    const { grant, seen } = setUp({
      flow: "client_credentials",
      clientId: "host",
      privateKey: { key, algorithm: "ES256" },
    });
    const failure = await failureOf(grant());
    expect(failure).toMatchObject({ code: "invalid_spec", serverId: "notes" });
    expect(inspect(failure, { depth: 9 })).not.toContain("c2VjcmV0");
    expect(seen).toEqual([]);
  });

  it("asks for what the caller wants, else for what is configured, else for what the server names", async () => {
    const { grant, seen } = setUp({ ...withSecret, scopes: ["own"] });
    await grant();
    await grant({ scope: "more own" });
    const other = setUp(withSecret);
    await other.grant({ server: { ...server, scopes: [] } });
    expect([...seen, ...other.seen].map(({ form }) => form["scope"])).toEqual(["own", "more own", undefined]);
  });

  it("sends nothing any more when nobody wants it", async () => {
    const { grant, seen } = setUp(withSecret);
    await expect(grant({ signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
    expect(seen).toEqual([]);
  });

  it("passes on a no once, without the secret that the server repeats", async () => {
    const body = { error: "invalid_client", error_description: `no such client with ${secret}` };
    const { grant, seen, parts, account } = setUp(withSecret, { status: 401, body });
    const failure = await failureOf(grant());
    expect(failure).toMatchObject({ code: "auth_required", serverId: "notes", details: { httpStatus: 401 } });
    expect(inspect(failure, { depth: 9 })).not.toContain(secret);
    expect(seen).toHaveLength(1);
    expect(await readAccount(parts, account)).toBeUndefined();
  });

  it("takes an answer of the authorization server out of order for a passing failure", async () => {
    const { grant } = setUp(withSecret, { status: 503, body: { error: "busy" } });
    expect(await failureOf(grant())).toMatchObject({ code: "http_error", retryable: true });
  });
});

describe("among those who share a store", () => {
  it("asks once for all who want a token at the same time", async () => {
    const { grant, seen, other } = setUp(withSecret);
    const all = await Promise.all([grant(), grant({ by: other }), grant()]);
    expect(seen).toHaveLength(1);
    expect(new Set(all.map(({ accessToken }) => accessToken))).toEqual(new Set(["access-1"]));
  });

  it("asks again for one that was refused, and takes what another got since", async () => {
    const { grant, seen, other } = setUp(withSecret, token, { ...token, access_token: "access-2" });
    await grant();
    expect((await grant({ refused: "access-1" })).accessToken).toBe("access-2");
    expect((await grant({ refused: "access-1", by: other })).accessToken).toBe("access-2");
    expect(seen).toHaveLength(2);
  });

  it("asks again shortly before the end, and for more than was granted", async () => {
    const { grant, seen, clock } = setUp(withSecret);
    await grant();
    await grant({ scope: "read admin" });
    expect(seen).toHaveLength(2);
    clock.advance(541_000);
    await grant({ scope: "read admin" });
    expect(seen).toHaveLength(3);
  });

  it("saves what it got although nobody waits for it any more", async () => {
    const answered = deferred();
    const { grant, account, parts, seen } = setUp(withSecret);
    const { fetch } = account;
    const asked = deferred();
    const slow: Account = {
      ...account,
      fetch: async (url, init) => {
        asked.resolve();
        await answered.promise;
        return fetch(url, init);
      },
    };
    const controller = new AbortController();
    const work = grant({ by: slow, signal: controller.signal });
    await asked.promise;
    controller.abort(new Error("gone"));
    await expect(work).rejects.toThrow("gone");
    answered.resolve();
    expect((await grant()).accessToken).toBe("access-1");
    expect(await readAccount(parts, account)).toBeDefined();
    expect(seen).toHaveLength(1);
  });
});

describe("the authorization server of a client", () => {
  const elsewhere: GrantServer = {
    ...server,
    issuer: "https://evil.example",
    metadata: { issuer: "https://evil.example", token_endpoint: "https://evil.example/token" },
  };

  it("is the configured one, and no other gets anything", async () => {
    const { grant, seen } = setUp({ ...withSecret, issuer });
    const failure = await failureOf(grant({ server: elsewhere }));
    expect(failure).toMatchObject({ code: "not_allowed" });
    expect(String(failure)).toMatch(/"https:\/\/evil\.example".*"https:\/\/as\.example"/s);
    expect(seen).toEqual([]);
  });

  it("is the first one that it was used with, as long as that is kept", async () => {
    const { grant, seen, parts } = setUp(withSecret);
    await grant();
    const failure = await failureOf(grant({ server: elsewhere }));
    expect(failure).toMatchObject({ code: "not_allowed" });
    expect(String(failure)).toMatch(/"https:\/\/evil\.example".*"https:\/\/as\.example"/s);
    expect(seen).toHaveLength(1);
    await parts.store.clear({ kind: "account", serverId: "notes" });
    await grant({ server: elsewhere });
    expect(seen[1]?.url).toBe("https://evil.example/token");
  });

  it("may end in a slash or not", async () => {
    const { grant } = setUp({ ...withSecret, issuer: `${issuer}/` });
    await expect(grant()).resolves.toMatchObject({ issuer });
  });
});

describe("with a key that tokens are bound to", () => {
  const bound = { ...token, token_type: "DPoP" };

  it("sends a proof, answers the demand for a nonce, and keeps the key", async () => {
    const nonce = { status: 400, nonce: "nonce-1", body: { error: "use_dpop_nonce" } };
    const { grant, seen } = setUp({ ...withSecret, dpop: true }, nonce, bound);
    const { accessToken, tokenType, dpopKey } = await grant();
    const proofs = seen.map(({ headers }) => headers.get("dpop")?.split(".")[1] ?? "");
    const [first, second] = proofs.map((part): unknown => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(first).not.toHaveProperty("nonce");
    expect(second).toMatchObject({ nonce: "nonce-1", htm: "POST", htu: `${issuer}/token` });
    expect([tokenType, dpopKey?.["crv"]]).toEqual(["DPoP", "P-256"]);
    expect((await grant({ refused: accessToken })).dpopKey).toEqual(dpopKey);
  });

  it("keeps no plain token where a bound one is configured", async () => {
    const { grant, parts, account } = setUp({ ...withSecret, dpop: true });
    expect(await failureOf(grant())).toMatchObject({ code: "auth_required" });
    expect(await readAccount(parts, account)).toBeUndefined();
  });

  it("keeps a plain token, and no key, where the server alone wanted a bound one", async () => {
    const { grant } = setUp(withSecret);
    const got = await grant({ server: { ...server, wantsDpop: true } });
    expect(got.tokenType).toBe("Bearer");
    expect(got.dpopKey).toBeUndefined();
  });

  it("sends nothing where the client must not, and the server insists", async () => {
    const { grant, seen } = setUp({ ...withSecret, dpop: false });
    const failure = await failureOf(grant({ server: { ...server, wantsDpop: true } }));
    expect(String(failure)).toMatch(/dpop: false/);
    expect(seen).toEqual([]);
  });
});
