import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { assertClientConfig } from "./read-oauth-options.ts";
import { isGrantConfig } from "./account.ts";

const pem = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
const jwk: JsonObject = { kty: "EC", crv: "P-256", x: "AA", y: "AA", d: "secret-part" };
const check = (config: object): void =>
  assertClientConfig(config, (member, rule) => new TypeError(`clients["a"].${member} ${rule}`));
const credentials = { flow: "client_credentials", clientId: "host" };
const withKey = (key: unknown, algorithm = "ES256"): object => ({ ...credentials, privateKey: { key, algorithm } });
const identityProvider = { issuer: "https://idp.example", clientId: "host", idToken: () => "token" };
const enterprise = { flow: "enterprise_managed", clientId: "host", identityProvider };
const atEndpoint = { ...identityProvider, issuer: undefined, tokenEndpoint: "https://idp.example/token" };

describe("the configuration of a grant", () => {
  it.each<[string, object]>([
    ["a secret", { ...credentials, clientSecret: "secret" }],
    ["a key in PEM", withKey(pem)],
    ["a key as JWK", withKey(jwk)],
    ["an assertion without a client", { flow: "jwt_bearer", assertion: () => "it" }],
    ["an identity provider by its issuer", enterprise],
    ["an identity provider by its endpoint", { ...enterprise, identityProvider: atEndpoint }],
  ])("may be %s", (_, config) => {
    expect(() => check(config)).not.toThrow();
  });

  it.each<[string, object, RegExp]>([
    ["a blank client id", { ...credentials, clientId: " ", clientSecret: "secret" }, /\.clientId must not be blank/],
    ["no client id", { flow: "client_credentials", clientSecret: "secret" }, /\.clientId must be a string/],
    ["neither secret nor key", credentials, /privateKey is needed/],
    ["both", { ...withKey(pem), clientSecret: "secret" }, /not both/],
    ["a blank secret", { ...credentials, clientSecret: "" }, /\.clientSecret must not be blank/],
    ["an assertion that is no function", { flow: "jwt_bearer", assertion: "secret" }, /\.assertion must be a function/],
    ["a secret of nobody", { flow: "jwt_bearer", assertion: () => "it", clientSecret: "secret" }, /\.clientId must be/],
  ])("is not %s, which is not shown", (_, config, text) => {
    expect(() => check(config)).toThrow(text);
    expect(() => check(config)).not.toThrow(/secret-part|c2VjcmV0/);
  });
});

it("knows which flows need no user", () => {
  expect([{}, { flow: "authorization_code" as const }].map(isGrantConfig)).toEqual([false, false]);
  expect(isGrantConfig({ flow: "jwt_bearer", assertion: () => "it" })).toBe(true);
});
