import type { FaultRule, JsonObject } from "@hostside/fixtures";
import { goodRules, goodTool, overHttp, proceed, rule, tool, type Mutant } from "./mutant.ts";

/** The client that every protected mutant knows. */
export const mutantClient = { clientId: "kit", clientSecret: "kit-secret-7d1f" } as const;

/** What every protected mutant lets in. */
export const mutantToken = "good-token-51c0";
const otherToken = "token-for-elsewhere-9e2a";
const resource: JsonObject = { resource: "{{http.origin}}/mcp", authorization_servers: ["{{http.origin}}"] };
const metadata: JsonObject = {
  issuer: "{{http.origin}}",
  authorization_endpoint: "{{http.origin}}/authorize",
  token_endpoint: "{{http.origin}}/token",
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "client_credentials"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
};
const challenge = {
  "www-authenticate": 'Bearer resource_metadata="{{http.origin}}/.well-known/oauth-protected-resource/mcp"',
};

function answer(status: number, json: JsonObject): FaultRule["do"] {
  return [{ type: "http", status, json, headers: { "cache-control": "no-store" } }];
}

function asBearer(value: string): NonNullable<FaultRule["where"]> {
  return { "http.headers.authorization": `Bearer ${value}` };
}

/** How a protected mutant is wrong. */
interface Wrong {
  readonly resource?: JsonObject;
  readonly metadata?: JsonObject;
  readonly rules?: readonly FaultRule[];
  readonly tools?: readonly JsonObject[];
  readonly fails: readonly string[];
}

/**
 * A server that wants a token of its own authorization server, which is at the same origin; the kit
 * signs in as its client.
 */
function protectedServer(id: string, wrong: string, deviation: Wrong): Mutant {
  const { rules = [], tools, fails } = deviation;
  const issue = (access: string): FaultRule["do"] =>
    answer(200, { access_token: access, token_type: "Bearer", expires_in: 3600 });
  const refuse = (on: string): FaultRule => rule(on, undefined, { type: "http", status: 401, headers: challenge });
  const script = {
    ...(tools && { tools }),
    rules: [
      ...rules,
      ...goodRules,
      {
        on: "GET /.well-known/oauth-protected-resource/mcp",
        do: answer(200, { ...resource, ...deviation.resource }),
      },
      { on: "GET /.well-known/oauth-authorization-server", do: answer(200, { ...metadata, ...deviation.metadata }) },
      { on: "POST /token", where: { "http.form.resource": "{{http.origin}}/mcp" }, do: issue(mutantToken) },
      { on: "POST /token", where: { "http.form.resource": elsewhere }, do: issue(otherToken) },
      { on: "POST /token", do: issue(mutantToken) },
      ...["POST", "GET", "DELETE"].flatMap((on) => [letIn(on, asBearer(mutantToken)), refuse(on)]),
    ],
  };
  return { ...overHttp(id, wrong, { ...script, fails }), signsIn: true };
}

function issueBound(access: string): FaultRule["do"] {
  return answer(200, { access_token: access, token_type: "DPoP", expires_in: 3600 });
}

const elsewhere = "https://hostside-conformance.invalid/mcp";

function letIn(on: string, where: FaultRule["where"]): FaultRule {
  return rule(on, where, proceed);
}

/** Servers that ask for authorization in a wrong way, or let in whom they should not. */
export const authorizationMutants: readonly Mutant[] = [
  protectedServer("auth-no-challenge", "answers 401 without a challenge", {
    rules: [rule("POST", { "http.headers.authorization": null }, { type: "http", status: 401 })],
    fails: ["auth/challenge"],
  }),
  protectedServer("auth-no-issuer", "names no authorization server", {
    resource: { authorization_servers: [] },
    fails: ["auth/resource-metadata"],
  }),
  protectedServer("auth-other-resource", "has metadata of another resource", {
    resource: { resource: "https://internal.example/mcp" },
    fails: ["auth/resource-identifier"],
  }),
  protectedServer("auth-other-issuer", "has an authorization server that calls itself something else", {
    metadata: { issuer: "https://internal.example" },
    fails: ["auth/server-metadata"],
  }),
  protectedServer("auth-no-pkce", "does not say that it supports PKCE", {
    metadata: { code_challenge_methods_supported: ["plain"] },
    fails: ["auth/pkce"],
  }),
  protectedServer("auth-plain-http", "has a registration endpoint over plain HTTP", {
    metadata: { registration_endpoint: "http://auth.example/register" },
    fails: ["auth/https"],
  }),
  protectedServer("auth-invalid-token-500", "answers a token that is none with 500", {
    rules: [rule("POST", asBearer("hostside-conformance-no-token"), { type: "http", status: 500 })],
    fails: ["auth/invalid-token"],
  }),
  protectedServer("auth-any-token", "lets everybody in who has any token", {
    rules: [
      rule("POST", { "http.headers.authorization": null }, { type: "http", status: 401, headers: challenge }),
      ...goodRules,
      letIn("POST", {}),
    ],
    fails: ["auth/audience", "auth/forged-token", "auth/invalid-token"],
  }),
  protectedServer("auth-token-in-query", "takes tokens from the query", {
    rules: [letIn("POST", { "http.query.access_token": mutantToken })],
    fails: ["auth/token-in-query"],
  }),
  protectedServer("auth-any-audience", "takes tokens that were issued for another server", {
    rules: [letIn("POST", asBearer(otherToken))],
    fails: ["auth/audience"],
  }),
  protectedServer("auth-no-proof", "takes tokens that are bound to a key, and looks at no proof", {
    resource: { dpop_bound_access_tokens_required: true },
    metadata: { dpop_signing_alg_values_supported: ["ES256"] },
    rules: [
      { on: "POST /token", where: { "http.form.resource": elsewhere }, do: issueBound(otherToken) },
      { on: "POST /token", do: issueBound(mutantToken) },
      ...goodRules,
      ...["POST", "GET", "DELETE"].map((on) => letIn(on, { "http.headers.authorization": `DPoP ${mutantToken}` })),
    ],
    fails: ["auth/dpop-proof", "auth/dpop-elsewhere"],
  }),
  protectedServer("auth-scope-unnamed", "refuses a call for its scope without naming the scope", {
    tools: [goodTool, { ...tool("secret"), annotations: { readOnlyHint: true } }],
    rules: [
      rule(
        "POST",
        { ...asBearer(mutantToken), method: "tools/call", "params.name": "secret" },
        { type: "http", status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope"' } },
      ),
    ],
    fails: ["auth/insufficient-scope"],
  }),
];
