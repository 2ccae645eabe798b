import { createMemoryCredentials } from "../src/store/create-memory-credentials.ts";
import { createEvent, createSecretMemory, learnSecrets } from "@hostside/core/implement";
import type { AuthorizationFetch } from "@hostside/core";
import type { Account, AuthParts } from "../src/account.ts";
import { readOAuthOptions } from "../src/read-oauth-options.ts";
import type { StoredAuthorization } from "../src/accounts/stored-account.ts";
import { useVirtualClock, firstDate, type VirtualClock } from "../../provider/test/simulation/virtual-clock.ts";

/** Parts and one account, in a time of their own. */
export interface TokenWorld {
  readonly clock: VirtualClock;
  readonly parts: AuthParts;
  readonly account: Account;
  /** The same account, as another process would have it that shares the store. */
  readonly another: () => Account;
  readonly close: AbortController;
}

export const issuer = "https://as.example";
export const serverUrl = "https://mcp.example/mcp";

/** Makes a world in which requests to authorization servers are answered by `answer`. */
export function createTokenWorld(answer: AuthorizationFetch, patch: Partial<AuthParts> = {}): TokenWorld {
  const clock = useVirtualClock();
  const close = new AbortController();
  const accountOf = (patched: Partial<Account> = {}, secrets = createSecretMemory()): Account => ({
    serverId: "notes",
    title: "Notes",
    serverUrl: new URL(serverUrl),
    principal: undefined,
    config: {},
    fetch: learnSecrets(answer, secrets),
    secrets,
    hasPrompt: true,
    hints: { metadataUrl: undefined, scope: undefined, dpop: false },
    ...patched,
  });
  const account = accountOf();
  return {
    clock,
    account,
    another: () => accountOf(),
    close,
    parts: {
      settings: readOAuthOptions({}),
      store: createMemoryCredentials(),
      accountOf: () => account,
      signedIn: createEvent(),
      signedOut: createEvent(),
      signInAfterRefusal: () => Promise.reject(new Error("nobody signs in here")),
      redeeming: new Set(),
      unsaved: new Set(),
      begun: new Set(),
      closing: close.signal,
      ...patch,
    },
  };
}

/** Tokens that were got at the beginning of time and live for ten minutes. */
export function createAuthorization(patch: Partial<StoredAuthorization> = {}): StoredAuthorization {
  return {
    issuer,
    metadata: { issuer, token_endpoint: `${issuer}/token` },
    client: { clientId: "host", way: "dynamic" },
    accessToken: "access-0",
    tokenType: "Bearer",
    refreshToken: "refresh-0",
    scope: "read",
    obtainedAt: firstDate,
    expiresAt: firstDate + 600_000,
    ...patch,
  };
}
