import { isHostsideError, HostsideError, type CallOutcome, type HostsideErrorCode } from "@hostside/core";
import { safeCause } from "@hostside/core/implement";
import { anyMemberOf } from "../message/member-of.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import { fromRpcError, type RpcErrorContext } from "../message/from-rpc-error.ts";

/**
 * What an error thrown by an MCP SDK (either line) means: by a client or a transport that somebody
 * plugged in, which may also hand on an error of ours. A number as its code is that of a JSON-RPC
 * error, unless a transport threw it. Never throws.
 */
export function fromSdkError(
  error: unknown,
  context: RpcErrorContext,
  thrownBy: "client" | "transport" = "client",
): HostsideError {
  const ours = findHostsideError(error);
  if (ours !== undefined) return ours;
  const { serverId, method, toolName, redact } = context;
  const message = safeExcerpt(error instanceof Error ? error.message : String(error), redact, 1000);
  const local = httpFailure(error) ?? localFailure(error, { message, method });
  const rpcCode = anyMemberOf(error, "code");
  if (local === undefined && thrownBy === "client" && typeof rpcCode === "number") {
    return fromRpcError({ code: rpcCode, message, data: anyMemberOf(error, "data") }, context);
  }
  return new HostsideError(`server ${JSON.stringify(serverId)} failed at ${method}: ${message}`, {
    code: local?.code ?? "internal_error",
    serverId,
    toolName,
    outcome: local?.outcome,
    details: { operation: method, ...(local?.httpStatus !== undefined && { httpStatus: local.httpStatus }) },
    cause: safeCause(error, redact),
  });
}

interface LocalFailure {
  readonly code: HostsideErrorCode;
  readonly outcome?: CallOutcome;
  readonly httpStatus?: number;
}

// The v2 line has the status of an answer as `status`, and v1 as `code`; both throw an
// UnauthorizedError when their own OAuth gave up.
function httpFailure(error: unknown): LocalFailure | undefined {
  if (error instanceof Error && error.constructor.name === "UnauthorizedError") return { code: "auth_required" };
  const httpStatus = [anyMemberOf(error, "status"), anyMemberOf(error, "code")].find(
    (status) => typeof status === "number" && status >= 400 && status < 600,
  );
  // Of its transports, which v1 lends numbers that are no status, -1 for an answer of an unknown
  // media type: the server has the request.
  if (typeof httpStatus !== "number") return isHttpTransportError(error) ? { code: "http_error" } : undefined;
  if (httpStatus === 401) return { code: "auth_required", httpStatus };
  if (httpStatus === 403) return { code: "forbidden", httpStatus };
  if (httpStatus === 429) return { code: "rate_limited", httpStatus };
  // A client error is a refusal; after a server error the request may have run all the same.
  return { code: "http_error", httpStatus, outcome: httpStatus < 500 && httpStatus !== 408 ? "failed" : "unknown" };
}

function isHttpTransportError(error: unknown): boolean {
  return error instanceof Error && /^(?:StreamableHTTP|Sse)Error$/.test(error.constructor.name);
}

// Failures that the SDK made itself. Its v2 line has codes of text for them; v1 lends codes of
// JSON-RPC, and says "Not connected" without any.
function localFailure(
  error: unknown,
  { message, method }: { message: string; method: string },
): LocalFailure | undefined {
  const code = anyMemberOf(error, "code");
  if (code === "REQUEST_TIMEOUT" || (code === -32_001 && /\bRequest timed out$/.test(message))) {
    return { code: "request_timeout" };
  }
  if (code === "CONNECTION_CLOSED" || (code === -32_000 && /\bConnection closed$/.test(message))) {
    return { code: "connection_closed" };
  }
  // An error with a number was sent by the server, whose words prove nothing.
  if (code === "NOT_CONNECTED" || (message === "Not connected" && typeof code !== "number"))
    return { code: "connection_closed", outcome: "not-sent" };
  if (code === "INPUT_REQUIRED_ROUNDS_EXCEEDED") return { code: "input_required" };
  if (code === "INVALID_RESULT" || code === "UNSUPPORTED_RESULT_TYPE") return { code: "protocol_error" };
  const isHandshake = method === "initialize" || method === "server/discover";
  return isHandshake && typeof code !== "number" ? { code: "handshake_failed" } : undefined;
}

function findHostsideError(error: unknown): HostsideError | undefined {
  let current = error;
  // A chain of causes is short; the bound is against one that loops.
  for (let depth = 0; depth < 8 && current !== undefined; depth += 1) {
    if (isHostsideError(current)) return current;
    current = anyMemberOf(current, "cause");
  }
  return undefined;
}
