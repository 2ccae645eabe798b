import type { HostParts } from "../../create-host.ts";
import type { TerminalPrompter } from "./asking/asker.ts";

/**
 * Offers to sign in to a server that wants it, and starts the server anew. Resolves to whether
 * somebody signed in. Rejects as `authorize()` does, and with what the server fails with then.
 */
export async function offerSignIn(
  { host, provider }: HostParts,
  serverId: string,
  { asker, signal }: { readonly asker: TerminalPrompter; readonly signal: AbortSignal },
): Promise<boolean> {
  const status = host.statuses().find(({ id }) => id === serverId);
  if (host.oauth === undefined || status?.state !== "needs-auth" || status.auth !== "oauth") return false;
  const answer = await asker.alone(
    (ask) => ask.confirm(`Server ${serverId} wants a sign-in. Sign in now?`, true),
    signal,
  );
  if (answer !== true) return false;
  await host.oauth.authorize(serverId, { signal });
  await provider.refreshServer(serverId, { signal });
  return true;
}
