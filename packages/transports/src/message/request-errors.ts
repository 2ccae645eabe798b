import { isHostsideError, HostsideError, type CallOutcome } from "@hostside/core";
import { formatMs, quoteText, safeCause, type Redactor } from "@hostside/core/implement";
import type { OutgoingRequest } from "./outgoing-request.ts";

/** For what it is needed here: which server. */
interface ErrorContext {
  readonly serverId: string;
}

/** The caller took the request back. */
export function requestAbortedError(
  { serverId }: ErrorContext,
  request: OutgoingRequest,
  outcome: CallOutcome,
): HostsideError {
  return new HostsideError(`${describeRequest(serverId, request)} was aborted`, {
    code: "aborted",
    serverId,
    ...errorContextOf(request),
    outcome,
    cause: request.signal?.reason,
  });
}

/** The time is up, for the whole or for a silence. */
export function requestTimeoutError(
  { serverId }: ErrorContext,
  request: OutgoingRequest,
  evidence?: string,
): HostsideError {
  const { timeoutMs, idleMs, timeoutCode, toolName, method } = request;
  const meanwhile = evidence === undefined ? "" : `; ${evidence}`;
  const silence = idleMs === undefined ? "" : `, or was silent for ${formatMs(idleMs)}`;
  return new HostsideError(
    `${describeRequest(serverId, request)} did not finish within ${formatMs(timeoutMs)}${silence}${meanwhile}`,
    {
      code: timeoutCode,
      serverId,
      toolName,
      outcome: "unknown",
      details: { operation: method, timeoutMs },
    },
  );
}

/** An answer that is too large, by the name of what it answers. */
export function tooLargeAnswerError(
  { serverId }: ErrorContext,
  request: OutgoingRequest,
  { rawMessage, code, details, cause }: HostsideError,
): HostsideError {
  return new HostsideError(`${describeRequest(serverId, request)} failed: ${rawMessage}`, {
    code,
    serverId,
    toolName: request.toolName,
    details: { ...details, operation: request.method },
    cause,
  });
}

/** The server answered, with something that is no answer. */
export function malformedAnswerError(
  { serverId }: ErrorContext,
  request: OutgoingRequest,
  reason: string,
): HostsideError {
  return new HostsideError(`${describeRequest(serverId, request)} was answered with something malformed: ${reason}`, {
    code: "protocol_error",
    serverId,
    ...errorContextOf(request),
    outcome: "unknown",
  });
}

/**
 * A refusal that says that the server speaks another revision than the one its connection was
 * made for.
 */
export function revisionChangedError(refusal: HostsideError): HostsideError {
  const { rawMessage, serverId, toolName, details } = refusal;
  return new HostsideError(rawMessage, {
    code: "unsupported_protocol",
    serverId,
    toolName,
    outcome: "failed",
    details,
    cause: refusal,
  });
}

/** The caller's parameters are no JSON: a cycle, a bigint. */
export function unserializableError({ serverId }: ErrorContext, request: OutgoingRequest): HostsideError {
  return new HostsideError(
    `${describeRequest(serverId, request)} was not sent: its parameters cannot be written as JSON`,
    {
      code: "invalid_arguments",
      serverId,
      ...errorContextOf(request),
    },
  );
}

/** What a transport threw: its own coded error, or one that admits that nothing is known. */
export function asHostsideError(
  { serverId, redact }: ErrorContext & { readonly redact: Redactor },
  error: unknown,
): HostsideError {
  if (isHostsideError(error)) return error;
  return new HostsideError(`the transport of server ${JSON.stringify(serverId)} failed to send`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    cause: safeCause(error, redact),
  });
}

/** What an error says of the request besides what happened. */
export function errorContextOf({ method, toolName }: OutgoingRequest): {
  readonly toolName: string | undefined;
  readonly details: { readonly operation: string };
} {
  return { toolName, details: { operation: method } };
}

/** The request, for a text. */
export function describeRequest(serverId: string, { method, toolName }: OutgoingRequest): string {
  const what = toolName === undefined ? method : `${method} of ${quoteText(toolName)}`;
  return `${what} on server ${JSON.stringify(serverId)}`;
}
