import { isToolportError, ToolportError, type CallOutcome, type ToolportErrorCode } from "@toolport/core";
import { memberOf } from "../member-of.ts";
import { safeExcerpt } from "../safe-excerpt.ts";
import { describeOffer, fromRpcError, type RpcErrorContext } from "./from-rpc-error.ts";

/**
 * What an error thrown by an MCP SDK (either line) means. The wire hides its own {@linkcode ToolportError} inside what it tells the
 * SDK; it comes back out here. Never throws.
 */
export function fromSdkError(error: unknown, context: RpcErrorContext): ToolportError {
  const ours = findToolportError(error);
  if (ours !== undefined) return ours;
  const { serverId, method, toolName, redact } = context;
  const message = safeExcerpt(error instanceof Error ? error.message : String(error), redact, 1000);
  const local = localFailure(error, { message, method });
  const rpcCode = memberOf(error, "code");
  if (local === undefined && typeof rpcCode === "number") {
    return fromRpcError({ code: rpcCode, message, data: memberOf(error, "data") }, context);
  }
  const supported = offeredVersion(message);
  return new ToolportError(
    `server ${JSON.stringify(serverId)} failed at ${method}: ${message}${describeOffer(supported)}`,
    {
      code: supported === undefined ? (local?.code ?? "internal_error") : "unsupported_protocol",
      serverId,
      toolName,
      outcome: local?.outcome,
      details: { operation: method, ...(supported && { supported }) },
      cause: error,
    },
  );
}

interface LocalFailure {
  readonly code: ToolportErrorCode;
  readonly outcome?: CallOutcome;
}

// Failures that the SDK made itself. Its v2 line has codes of text for them; v1 lends codes of JSON-RPC, and says "Not connected" without any.
function localFailure(
  error: unknown,
  { message, method }: { message: string; method: string },
): LocalFailure | undefined {
  const isHandshake = method === "initialize" || method === "server/discover";
  const code = memberOf(error, "code");
  if (code === "REQUEST_TIMEOUT" || (code === -32_001 && /\bRequest timed out$/.test(message))) {
    return { code: isHandshake ? "connect_timeout" : "request_timeout" };
  }
  if (code === "CONNECTION_CLOSED" || (code === -32_000 && /\bConnection closed$/.test(message))) {
    return { code: isHandshake ? "handshake_failed" : "connection_closed" };
  }
  if (code === "NOT_CONNECTED" || message === "Not connected")
    return { code: "connection_closed", outcome: "not-sent" };
  if (code === "INPUT_REQUIRED_ROUNDS_EXCEEDED") return { code: "input_required" };
  if (code === "INVALID_RESULT" || code === "UNSUPPORTED_RESULT_TYPE") return { code: "protocol_error" };
  return isHandshake && typeof code !== "number" ? { code: "handshake_failed" } : undefined;
}

// The SDK throws a plain Error with this text when `initialize` is answered with a revision it does not know.
function offeredVersion(message: string): readonly string[] | undefined {
  const version = /protocol version is not supported: (.{1,40})$/i.exec(message)?.[1];
  return version === undefined ? undefined : [version];
}

function findToolportError(error: unknown): ToolportError | undefined {
  let current = error;
  // A chain of causes is short; the bound is against one that loops.
  for (let depth = 0; depth < 8 && current !== undefined; depth += 1) {
    if (isToolportError(current)) return current;
    const data = memberOf(current, "data");
    if (isToolportError(data)) return data;
    current = memberOf(current, "cause");
  }
  return undefined;
}
