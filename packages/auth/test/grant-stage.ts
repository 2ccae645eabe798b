import type { AuthorizationFetch } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Account } from "../src/account.ts";
import { requestGrant, type GrantRequest, type GrantServer } from "../src/grants/request-grant.ts";
import type { ClientConfig, ClientCredentialsConfig } from "../src/oauth-options.ts";
import { createTokenWorld, issuer, serverUrl, type TokenWorld } from "./token-world.ts";

/** A request as an authorization server saw it. */
export interface Seen {
  readonly url: string;
  readonly headers: Headers;
  readonly form: Readonly<Record<string, string>>;
}

/** What a token endpoint answers, one after the other; the last one again and again. */
export type Answer =
  | Readonly<Record<string, unknown>>
  | { readonly status: number; readonly nonce?: string; readonly body: object };

export const token = { access_token: "access-1", token_type: "Bearer", expires_in: 600 };
export const secret = "s3cr%t+of/the=client";
export const server: GrantServer = {
  issuer,
  metadata: { issuer, token_endpoint: `${issuer}/token` },
  resource: serverUrl,
  scopes: ["read", "write"],
  wantsDpop: false,
};

interface Endpoint {
  readonly seen: readonly Seen[];
  readonly fetch: AuthorizationFetch;
}

function createEndpoint(...answers: readonly Answer[]): Endpoint {
  const seen: Seen[] = [];
  return {
    seen,
    async fetch(url, init = {}) {
      const form = Object.fromEntries(
        new URLSearchParams(init.body instanceof URLSearchParams || typeof init.body === "string" ? init.body : ""),
      );
      seen.push({ url: String(url), headers: new Headers(init.headers), form });
      const answer = answers[Math.min(seen.length, answers.length) - 1] ?? token;
      if (!isJsonObject(answer) || !("status" in answer) || !("body" in answer)) return Response.json(answer);
      const { status, nonce, body } = answer;
      return Response.json(body, {
        status: Number(status),
        headers: typeof nonce === "string" ? { "dpop-nonce": nonce } : {},
      });
    },
  };
}

export interface Stage extends TokenWorld {
  readonly seen: readonly Seen[];
  readonly grant: (wanted?: Partial<GrantRequest & { readonly by: Account }>) => ReturnType<typeof requestGrant>;
  /** The same account, as another process has it. */
  readonly other: Account;
}

export function setUp(config: ClientConfig, ...answers: readonly Answer[]): Stage {
  const { fetch, seen } = createEndpoint(...answers);
  const world = createTokenWorld(fetch);
  const account = { ...world.account, config };
  const other = { ...world.another(), config };
  const grant: Stage["grant"] = ({ by = account, ...wanted } = {}) =>
    requestGrant(world.parts, by, { server, signal: new AbortController().signal, ...wanted });
  return { ...world, account, other, seen, grant };
}

export const withSecret: ClientCredentialsConfig = {
  flow: "client_credentials",
  clientId: "the client",
  clientSecret: secret,
};
export const deferred = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let settle = (): void => {};
  const promise = new Promise<void>((resolve) => void (settle = resolve));
  return { promise, resolve: () => settle() };
};
export const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
