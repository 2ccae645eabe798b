import { isHostsideError, HostsideError } from "@hostside/core";
import { withErrorContext } from "@hostside/core/implement";

/**
 * Turns the rejection of a connector or connection into the error that a product catches: with the
 * server's id, and with a code also when a custom connector threw something of its own.
 */
export function toHostsideError(error: unknown, serverId: string, operation: string): HostsideError {
  if (isHostsideError(error)) return error.serverId === undefined ? withErrorContext(error, { serverId }) : error;
  return new HostsideError(`${operation} of ${JSON.stringify(serverId)} failed in an unforeseen way`, {
    code: "internal_error",
    serverId,
    details: { operation },
    cause: error,
  });
}

/** A request to one server, or to all, for the errors of it. */
export interface AskedOperation {
  readonly serverId?: string;
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Turns the rejection of an operation that was waiting into the error for its caller: `aborted`
 * when it was the caller who gave up.
 */
export function operationError(reason: unknown, { serverId, operation, signal }: AskedOperation): unknown {
  if (signal?.aborted !== true || isHostsideError(reason)) return reason;
  const subject = serverId === undefined ? "" : ` of ${JSON.stringify(serverId)}`;
  return new HostsideError(`${operation}${subject} was aborted`, { code: "aborted", serverId, cause: reason });
}

/** Does something, and throws what that rejects with as {@linkcode operationError} has it. */
export async function asOperation<T>(asked: AskedOperation, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    throw operationError(reason, asked);
  }
}

/**
 * A registration, or a session of it, that this host has ended: `what` it did, and why if the
 * product says so.
 */
export function registrationEndedError(serverId: string, what: string, reason?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new HostsideError(`server ${JSON.stringify(serverId)} ${what}${why}`, { code: "server_removed", serverId });
}
