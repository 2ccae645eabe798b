import { isHostsideError, type HostsideErrorCode } from "@hostside/core";

// The session ended before the answer was there, or the server no longer knows it. The next
// connection is another one.
const sessionLost: ReadonlySet<HostsideErrorCode> = new Set([
  "session_expired",
  "unsupported_protocol",
  "connection_closed",
  "server_exited",
]);

/**
 * Whether what was asked may be asked once more by itself, on another session. It changes nothing
 * on the server, so that it may have run already (`unknown`): what a call never may. Not what the
 * server refused, what took too long, what is too large or malformed, and what this host ended or
 * refuses: it would end the same way, or the host wants it so. A session that this host ended
 * before anything was sent was replaced, if its server is still there.
 */
export function mayAskAgain(reason: unknown, isRegistered: () => boolean): boolean {
  if (!isHostsideError(reason)) return false;
  if (reason.code === "server_removed") return reason.outcome === "not-sent" && isRegistered();
  return sessionLost.has(reason.code);
}
