import { describe, expect, it } from "vitest";
import { issuerOfMetadata, toClient } from "./to-client.ts";

describe("toClient()", () => {
  it("is nobody in particular for an entry that says nothing", () => {
    expect(toClient(undefined)).toBeUndefined();
  });

  it("takes over what the entry says, and makes of a port and a metadata URL what they stand for", () => {
    const metadataUrl = "https://login.example.com/.well-known/oauth-authorization-server/tenant";
    expect(toClient({ clientId: "id", scopes: ["read"], callbackPort: 8123, metadataUrl })).toMatchObject({
      clientId: "id",
      scopes: ["read"],
      redirectUri: "http://localhost:8123/callback",
      issuer: "https://login.example.com/tenant",
    });
    expect(toClient({ flow: "client_credentials", clientId: "id", clientSecret: "s", callbackPort: 1 })).toEqual({
      flow: "client_credentials",
      clientId: "id",
      clientSecret: "s",
      scopes: undefined,
      resource: undefined,
      issuer: undefined,
    });
    expect(toClient({ callbackPort: 1, redirectUri: "http://127.0.0.1:2/cb" })).toMatchObject({
      redirectUri: "http://127.0.0.1:2/cb",
    });
  });
});

describe("issuerOfMetadata()", () => {
  it.each([
    ["https://a.example/.well-known/oauth-authorization-server", "https://a.example"],
    ["https://a.example/.well-known/openid-configuration/t", "https://a.example/t"],
    ["https://a.example/t/.well-known/openid-configuration", "https://a.example/t"],
    ["https://a.example/metadata.json", undefined],
    ["no URL", undefined],
  ])("of %s is %s", (url, issuer) => {
    expect(issuerOfMetadata(url)).toBe(issuer);
  });
});
