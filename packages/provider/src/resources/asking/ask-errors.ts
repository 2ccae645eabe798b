import { isHostsideError, HostsideError, type CallOutcome } from "@hostside/core";
import { formatMs, withErrorContext } from "@hostside/core/implement";

/** What is asked, for its errors. */
export interface Subject {
  readonly serverId: string;
  /** The method, such as `resources/read`. */
  readonly operation: string;
}

/** The time of a request is up, wherever it was by then. */
export function timeoutError({ serverId, operation }: Subject, timeoutMs: number): HostsideError {
  return new HostsideError(
    `${operation} on server ${JSON.stringify(serverId)} took longer than ${formatMs(timeoutMs)}`,
    {
      code: "request_timeout",
      serverId,
      details: { operation, timeoutMs },
    },
  );
}

/** The caller gave up; `serverId` is absent for what was asked of several servers. */
export function abortedError(
  { serverId, operation }: Partial<Pick<Subject, "serverId">> & Omit<Subject, "serverId">,
  outcome: CallOutcome,
  cause: unknown,
): HostsideError {
  const where = serverId === undefined ? "" : ` on server ${JSON.stringify(serverId)}`;
  return new HostsideError(`${operation}${where} was aborted`, {
    code: "aborted",
    serverId,
    outcome,
    details: { operation },
    cause,
  });
}

/** `close()` was called, or the provider's. */
export function closedError(): HostsideError {
  return new HostsideError("the resources, or their provider, are closed", { code: "closed" });
}

/**
 * The host ended the registration, or the session, meanwhile; what was under way ended with
 * `cause`.
 */
export function removedError(serverId: string, cause?: HostsideError): HostsideError {
  const message = `server ${JSON.stringify(serverId)} was removed or disconnected`;
  return new HostsideError(message, { code: "server_removed", serverId, outcome: cause?.outcome, cause });
}

/** The server does not say that it has any of these. */
export function notOfferedError({ serverId, operation }: Subject): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} does not offer ${operation}`, {
    code: "unsupported_operation",
    serverId,
    details: { operation },
  });
}

/**
 * The answer is not what the specification has. `problem` says what it is instead:
 * `"without an array of contents"`.
 */
export function malformedError({ serverId, operation }: Subject, problem: string): HostsideError {
  return new HostsideError(`${operation} on server ${JSON.stringify(serverId)} was answered ${problem}`, {
    code: "protocol_error",
    serverId,
    outcome: "failed",
    details: { operation },
  });
}

/**
 * Whatever was thrown, as an error of this project: of a provider of the product's own it may be
 * anything.
 */
export function toAskError(reason: unknown, { serverId, operation }: Subject): HostsideError {
  if (isHostsideError(reason)) return reason.serverId === undefined ? withErrorContext(reason, { serverId }) : reason;
  return new HostsideError(`${operation} on server ${JSON.stringify(serverId)} failed`, {
    code: "internal_error",
    serverId,
    details: { operation },
    cause: reason,
  });
}
