import { describe, expect, it } from "vitest";
import type { JsonObject } from "@toolport/core";
import { assertGrantConfig, isGrantConfig, type GrantConfig } from "./assert-grant-config.ts";

const pem = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
const jwk: JsonObject = { kty: "EC", crv: "P-256", x: "AA", y: "AA", d: "secret-part" };
const check = (config: object): void => assertGrantConfig(config as GrantConfig, 'clients["a"]');
const credentials = { flow: "client_credentials", clientId: "host" };
const withKey = (key: unknown, algorithm = "ES256"): object => ({ ...credentials, privateKey: { key, algorithm } });
const identityProvider = { issuer: "https://idp.example", clientId: "host", idToken: () => "token" };
const enterprise = { flow: "enterprise_managed", clientId: "host", identityProvider };

describe("assertGrantConfig()", () => {
  it.each<[string, object]>([
    ["a secret", { ...credentials, clientSecret: "secret", authMethod: "client_secret_post" }],
    ["a key in PEM", withKey(pem)],
    ["a key as JWK", withKey(jwk)],
    ["an assertion without a client", { flow: "jwt_bearer", assertion: () => "it" }],
    ["an identity provider by its issuer", enterprise],
    [
      "an identity provider by its endpoint",
      {
        ...enterprise,
        identityProvider: { ...identityProvider, issuer: undefined, tokenEndpoint: "https://idp.example/token" },
      },
    ],
  ])("takes %s", (_, config) => {
    expect(() => check(config)).not.toThrow();
  });

  it.each<[string, object, RegExp]>([
    ["a blank client id", { ...credentials, clientId: " ", clientSecret: "secret" }, /\.clientId must not be blank/],
    ["a client id that is no text", { ...credentials, clientId: 5, clientSecret: "secret" }, /\.clientId is a string/],
    ["neither secret nor key", credentials, /has neither/],
    ["both", { ...withKey(pem), clientSecret: "secret" }, /has both/],
    ["a blank secret", { ...credentials, clientSecret: "" }, /\.clientSecret must not be blank/],
    ["an unknown way to send it", { ...credentials, clientSecret: "secret", authMethod: "tls" }, /\.authMethod is/],
    [
      "a way to send a secret that is not there",
      { ...withKey(pem), authMethod: "client_secret_post" },
      /\.authMethod is for/,
    ],
    ["an older PEM", withKey(pem.replaceAll("PRIVATE", "EC PRIVATE")), /\.key is a private key as PKCS #8/],
    ["an encrypted PEM", withKey(pem.replaceAll("PRIVATE", "ENCRYPTED PRIVATE")), /\.key is a private key/],
    ["a certificate", withKey(pem.replaceAll("PRIVATE KEY", "CERTIFICATE")), /\.key is a private key/],
    ["a public JWK", withKey({ ...jwk, d: undefined }), /public JWK/],
    ["a JWK of another kind", withKey(jwk, "RS256"), /no JWK of the type RSA/],
    ["a shared secret as an algorithm", withKey(pem, "HS256"), /\.algorithm is one of/],
    ["no algorithm", withKey(pem, "none"), /\.algorithm is one of/],
    ["an unknown option", { ...credentials, clientSecret: "secret", clientSecrets: [] }, /"clientSecrets"/],
    ["an assertion that is no function", { flow: "jwt_bearer", assertion: "secret" }, /\.assertion is a function/],
    [
      "a secret of nobody",
      { flow: "jwt_bearer", assertion: () => "it", clientSecret: "secret" },
      /\.clientId is missing/,
    ],
    [
      "an identity provider that is nowhere",
      { ...enterprise, identityProvider: { ...identityProvider, issuer: undefined } },
      /needs a tokenEndpoint/,
    ],
    [
      "an identity provider that is no URL",
      { ...enterprise, identityProvider: { ...identityProvider, issuer: "idp" } },
      /\.issuer is no URL/,
    ],
    [
      "an ID token that is no function",
      { ...enterprise, identityProvider: { ...identityProvider, idToken: "secret" } },
      /\.idToken is a function/,
    ],
  ])("refuses %s, and does not show it", (_, config, text) => {
    expect(() => check(config)).toThrow(TypeError);
    expect(() => check(config)).toThrow(text);
    expect(() => check(config)).toThrow(/^clients\["a"\]/);
    expect(() => check(config)).not.toThrow(/secret-part|c2VjcmV0/);
  });
});

it("knows which flows need a user", () => {
  expect([{}, { flow: "authorization_code" as const }].map(isGrantConfig)).toEqual([false, false]);
  expect(isGrantConfig({ flow: "jwt_bearer", assertion: () => "it" })).toBe(true);
});
