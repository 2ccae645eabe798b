import type { Toolport } from "../../toolport.ts";
import type { Asker } from "./asking/asker.ts";

/**
 * Offers to sign in to a server that wants it, and starts the server anew. Resolves to whether somebody signed in. Rejects as `authorize()` does, and with what the
 * server fails with then.
 */
export async function offerSignIn(
  toolport: Toolport,
  serverId: string,
  { asker, signal }: { readonly asker: Asker; readonly signal: AbortSignal },
): Promise<boolean> {
  const status = toolport.statuses().find(({ id }) => id === serverId);
  if (toolport.oauth === undefined || status?.state !== "needs-auth" || status.auth !== "oauth") return false;
  const answer = await asker.alone(
    (ask) => ask.confirm(`Server ${serverId} wants a sign-in. Sign in now?`, true),
    signal,
  );
  if (answer !== true) return false;
  await toolport.oauth.authorize(serverId, { signal });
  await toolport.provider.refreshServer(serverId, { signal });
  return true;
}
