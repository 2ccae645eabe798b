import { isHostsideError, HostsideError } from "@hostside/core";
import { withErrorContext } from "@hostside/core/implement";

/**
 * What a connector or connection rejected with, as the error that a product catches: with the
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
