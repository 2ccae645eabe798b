import { HostsideError } from "@hostside/core";
import { formatMs } from "@hostside/core/implement";

/**
 * How long anybody waits for other credentials: several requests to an authorization server, each
 * of which has 30 s.
 */
export const recoveryMs = 120_000;

/** Whoever has the credentials did not come back in that time. */
export function tookTooLong(serverId: string): HostsideError {
  return new HostsideError(`the authorization provider did not come back within ${formatMs(recoveryMs)}`, {
    code: "auth_required",
    serverId,
    details: { timeoutMs: recoveryMs },
  });
}
