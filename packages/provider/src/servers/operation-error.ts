import { isHostsideError, HostsideError } from "@hostside/core";

/** What somebody asked of one server, or of all, for the errors of it. */
export interface AskedOperation {
  readonly serverId?: string;
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * What an operation that was waiting rejected with, as the caller gets it: `aborted` when it was
 * the caller who gave up.
 */
export function operationError(reason: unknown, { serverId, operation, signal }: AskedOperation): unknown {
  if (signal?.aborted !== true || isHostsideError(reason)) return reason;
  const subject = serverId === undefined ? "" : ` of ${JSON.stringify(serverId)}`;
  return new HostsideError(`${operation}${subject} was aborted`, { code: "aborted", serverId, cause: reason });
}

/**
 * A registration, or a session of it, that this host has ended: `what` it did, and why if the
 * product says so.
 */
export function registrationEndedError(serverId: string, what: string, reason?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new HostsideError(`server ${JSON.stringify(serverId)} ${what}${why}`, { code: "server_removed", serverId });
}
