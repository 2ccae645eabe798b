import type { CredentialStore } from "../../src/store/credential-store.ts";
import type { StrictServer } from "./strict-server.ts";

/** Signs users in at a strict server, and keeps their tokens as `createOAuth()` does. */
export async function keepSignedIn(
  store: CredentialStore,
  server: StrictServer,
  users: readonly string[],
): Promise<void> {
  for (const user of users) {
    const { accessToken, refreshToken, expiresAt } = server.signIn(user);
    const authorization = {
      issuer: server.issuer,
      metadata: { issuer: server.issuer, token_endpoint: `${server.issuer}/token` },
      client: { clientId: "host", way: "dynamic" },
      accessToken,
      refreshToken,
      tokenType: "Bearer",
      obtainedAt: Date.now(),
      expiresAt,
    };
    await store.save(
      { kind: "account", serverId: "mcp", principal: user },
      { version: 1, serverUrl: server.url, ...authorization },
    );
  }
}

/** Names of users. */
export function usersOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `user${index}`);
}

/** Waits until something holds, looking often; rejects after `timeoutMs`. */
export async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not so within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
