import { describe, expect, it } from "vitest";
import { createOAuth } from "./create-oauth.ts";
import { errorOf } from "../test/error-of.ts";
import { spec } from "../test/fake-servers.ts";

const withClient = (config: unknown) => ({ clients: { notes: config } });
const provider = { tokenEndpoint: "https://idp.example/token", clientId: "x", idToken: () => "t" };

describe("createOAuth()", () => {
  it.each<[string, unknown, RegExp]>([
    ["an unknown option", { promt: () => {} }, /no option "promt"/],
    ["a skew that is no time", { refreshSkewMs: Number.NaN }, /refreshSkewMs/],
    ["a redirect that is no URL", { redirect: "back" }, /redirect must be an absolute URL/],
    ["a redirect over http", { redirect: "http://product.example/back" }, /redirect must be an https: URL/],
    ["a redirect with a fragment", { redirect: "https://product.example/back#" }, /no fragment/],
    ["a redirect that runs", { redirect: "javascript:alert(1)" }, /must not be a javascript: URL/],
    ["a redirect with user info", { redirect: "https://a:b@product.example/" }, /no user info/],
    ["a metadata document without a path", { product: { metadataUrl: "https://product.example" } }, /with a path/],
    ["a metadata document over http", { product: { metadataUrl: "http://product.example/c.json" } }, /https: URL/],
    ["clients in a Map", { clients: new Map() }, /clients must be an object/],
    ["a blank client id", withClient({ clientId: "  " }), /clients\["notes"\].clientId must not be blank/],
    ["a secret without a client", withClient({ clientSecret: "hush-hush" }), /clientId must be a string/],
    ["an unknown flow", withClient({ flow: "implicit" }), /flow must be one of/],
    ["what another flow has", withClient({ privateKey: {} }), /privateKey is unknown for this flow/],
    ["a scope with a space", withClient({ scopes: ["a b"] }), /scopes must be/],
    ["an issuer over http", withClient({ issuer: "http://as.example" }), /issuer must be an https: URL/],
    ["a resource with a fragment", withClient({ resource: "https://a.example/#x" }), /resource/],
    ["a bad redirect of one client", withClient({ redirectUri: "file:///x" }), /redirectUri must not be a file: URL/],
    ["a program without a proof", withClient({ flow: "client_credentials", clientId: "x" }), /or privateKey is needed/],
    [
      "a program with two proofs",
      withClient({ flow: "client_credentials", clientId: "x", clientSecret: "hush-hush", privateKey: {} }),
      /and not both/,
    ],
    ["no assertion", withClient({ flow: "jwt_bearer" }), /assertion must be a function/],
  ])("refuses %s", (_, options, text) => {
    const create: (options: never) => unknown = createOAuth;
    expect(() => create(options as never)).toThrow(TypeError);
    expect(() => create(options as never)).toThrow(text);
    expect(() => create(options as never)).not.toThrow(/hush/);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a page on this machine", { redirect: new URL("http://[::1]:8080/back") }],
    ["a scheme of its own (RFC 8252)", { redirect: "com.example.app:/back" }],
    ["a metadata document", { product: { name: "Acme", metadataUrl: "https://a.example/c.json" } }],
    ["an identity provider", withClient({ flow: "enterprise_managed", clientId: "x", identityProvider: provider })],
  ])("takes %s", (_, options) => {
    const create: (options: never) => unknown = createOAuth;
    expect(() => create(options as never)).not.toThrow();
  });

  it("refuses what a function answers when it does, and asks it with whose server it is", async () => {
    const asked: unknown[] = [];
    const oauth = createOAuth({ clients: (server) => (asked.push(server), JSON.parse('{"clientId":""}')) });
    const error = await errorOf(oauth.begin(spec, { principal: "ann" }));
    expect([error.code, error.details.field]).toEqual(["invalid_spec", "clients.clientId"]);
    expect(asked).toEqual([{ serverId: "notes", url: "https://mcp.example/mcp", principal: "ann" }]);
  });

  it("takes no client from what every object has", async () => {
    const oauth = createOAuth({
      clients: {},
      redirect: "https://product.example/",
      fetch: async () => new Response("", { status: 500 }),
    });
    expect((await errorOf(oauth.begin({ ...spec, id: "constructor" }))).code).toBe("http_error");
  });
});
