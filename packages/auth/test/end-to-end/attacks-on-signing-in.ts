import type { HostsideErrorCode } from "@hostside/core";
import type { AuthorizationChange, AuthorizationEndpoint, AuthorizedServer } from "@hostside/fixtures";

/** What somebody does, and what has to come of a sign-in then. */
export interface Attack {
  readonly title: string;
  /** May name the endpoints of another authorization server, which is honest. */
  readonly change: AuthorizationChange | ((other: AuthorizedServer) => AuthorizationChange);
  /** Default `auth_required`. */
  readonly code?: HostsideErrorCode;
  readonly says?: RegExp;
  /** How often an endpoint may have been asked in the end; more is an attack that worked. */
  readonly asked?: { readonly [Endpoint in AuthorizationEndpoint]?: number };
  /** How many pages users were shown. Default 1. */
  readonly prompts?: 0;
}

const noGuess = { token: 0 } as const;

/** One row for each attack on a user who signs in. */
export const attacksOnSigningIn: readonly Attack[] = [
  {
    title: "mix-up: another authorization server's page, with the token endpoint of the attacker",
    says: /another authorization server/,
    change: (other) => ({
      metadata: { authorization_endpoint: `${other.issuer}/auth` },
      faults: { registration: { do: "patch", body: { client_id: "desk" } } },
    }),
    asked: noGuess,
  },
  { title: "no iss, though it was promised", says: /iss/, change: { callback: { iss: null } }, asked: noGuess },
  {
    title: "an iss of somebody else",
    says: /another authorization server/,
    change: { callback: { iss: "https://evil.example" } },
    asked: noGuess,
  },
  {
    title: "metadata of another issuer",
    says: /another issuer/,
    change: { metadata: { issuer: "https://evil.example" } },
    asked: { authorization: 0, registration: 0, token: 0 },
    prompts: 0,
  },
  {
    title: "metadata without PKCE",
    says: /PKCE/,
    change: { metadata: { code_challenge_methods_supported: null } },
    asked: { authorization: 0, token: 0 },
    prompts: 0,
  },
  {
    title: "metadata with PKCE that protects nothing",
    says: /PKCE/,
    change: { metadata: { code_challenge_methods_supported: ["plain"] } },
    asked: { authorization: 0, token: 0 },
    prompts: 0,
  },
  ...[
    "javascript:alert(document.domain)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "ms-evil-handler://open?id=1",
    "vbscript:x",
    "blob:https://evil.example/1",
    "http://evil.example/auth",
    "http://169.254.169.254/latest/meta-data",
    "//evil.example/auth",
    " javascript:alert(1)",
  ].map((endpoint): Attack => ({
    title: `an authorization endpoint ${endpoint}`,
    change: { metadata: { authorization_endpoint: endpoint } },
    asked: { token: 0 },
    prompts: 0,
  })),
  ...[
    "http://169.254.169.254/latest",
    "http://10.0.0.1/token",
    "ftp://evil.example/token",
    "gopher://evil.example/",
  ].map((endpoint): Attack => ({
    title: `a token endpoint ${endpoint}`,
    change: { metadata: { token_endpoint: endpoint } },
    asked: { authorization: 0, registration: 0, token: 0 },
    prompts: 0,
  })),
  {
    title: "a registration endpoint inside",
    change: { metadata: { registration_endpoint: "http://10.0.0.1/reg" } },
    prompts: 0,
  },
  {
    title: "another resource's metadata",
    says: /not this server/,
    change: { resourceMetadata: { resource: "https://other.example/mcp" } },
    asked: { authorization: 0, registration: 0, token: 0 },
    prompts: 0,
  },
  {
    title: "an authorization server inside",
    change: { resourceMetadata: { authorization_servers: ["http://169.254.169.254/"] } },
    asked: { authorization: 0, registration: 0 },
    prompts: 0,
  },
  {
    title: "a token endpoint that redirects within its origin",
    code: "redirect_refused",
    change: { faults: { token: { do: "redirect", to: "same-origin" } } },
    asked: { elsewhere: 0, token: 1 },
  },
  {
    title: "a token endpoint that redirects to another origin",
    code: "redirect_refused",
    change: { faults: { token: { do: "redirect", to: "other-origin" } } },
    asked: { elsewhere: 0, token: 1 },
  },
  {
    title: "a registration that redirects",
    says: /redirect/,
    change: { faults: { registration: { do: "redirect", to: "other-origin" } } },
    asked: { elsewhere: 0, token: 0 },
    prompts: 0,
  },
  {
    title: "metadata that redirect",
    change: { faults: { metadata: { do: "redirect", to: "other-origin" } } },
    asked: { elsewhere: 0, token: 0 },
    prompts: 0,
  },
  {
    title: "the resource's metadata that redirect",
    change: { faults: { "resource-metadata": { do: "redirect", to: "other-origin" } } },
    asked: { elsewhere: 0, token: 0 },
    prompts: 0,
  },
  {
    title: "a token endpoint that repeats everything in its error",
    change: { faults: { token: { do: "echo" } } },
    // The second time without the resource.
    asked: { token: 2 },
  },
  {
    title: "a token endpoint that repeats everything in an error of its own",
    code: "http_error",
    change: { faults: { token: { do: "echo", error: "made_up_error", status: 500 } } },
  },
  {
    title: "a token endpoint that answers in HTML",
    code: "http_error",
    change: { faults: { token: { do: "answer", status: 200, body: "<h1>Welcome</h1><script>alert(1)</script>" } } },
    asked: { token: 1 },
  },
  {
    title: "a token endpoint that fails in HTML",
    code: "http_error",
    change: { faults: { token: { do: "answer", status: 502, body: "<h1>Bad gateway</h1>" } } },
  },
  {
    title: "tokens without an access token",
    code: "http_error",
    change: { faults: { token: { do: "patch", body: { access_token: null } } } },
    asked: { token: 1 },
  },
  {
    title: "tokens of a type that nobody knows",
    code: "http_error",
    change: { faults: { token: { do: "patch", body: { token_type: "mac" } } } },
    asked: { token: 1 },
  },
  {
    title: "an access token that is another header",
    code: "http_error",
    change: { faults: { token: { do: "patch", body: { access_token: "a\r\nx-evil: 1" } } } },
    asked: { token: 1 },
  },
  {
    title: "a bomb in place of tokens",
    code: "message_too_large",
    change: { faults: { token: { do: "flood", bytes: 8_000_000, packed: true } } },
    asked: { token: 1 },
  },
  {
    title: "a flood in place of metadata",
    code: "message_too_large",
    change: { faults: { metadata: { do: "flood", bytes: 8_000_000 } } },
    prompts: 0,
  },
  {
    title: "a bomb in place of a client",
    says: /more than/,
    change: { faults: { registration: { do: "flood", bytes: 8_000_000, packed: true } } },
    prompts: 0,
  },
  {
    title: "a bomb in place of the resource's metadata",
    code: "message_too_large",
    change: { faults: { "resource-metadata": { do: "flood", bytes: 8_000_000, packed: true } } },
    asked: { token: 0 },
    prompts: 0,
  },
  {
    title: "a client id that is no text",
    says: /client_id/,
    change: { faults: { registration: { do: "patch", body: { client_id: { toString: "x" } } } } },
    asked: { token: 0 },
    prompts: 0,
  },
];
