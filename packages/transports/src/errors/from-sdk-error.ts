import { cleanText, isToolportError, ToolportError, type ToolportErrorCode } from "@toolport/core";
import { fromRpcError, type RpcErrorContext } from "./from-rpc-error.ts";

/**
 * What an error thrown by an MCP SDK (either line) means. The wire hides its own {@linkcode ToolportError} inside what it tells the
 * SDK; it comes back out here. Never throws.
 */
export function fromSdkError(error: unknown, context: RpcErrorContext): ToolportError {
  const ours = findToolportError(error);
  if (ours !== undefined) return ours;
  const { serverId, method, toolName, redact } = context;
  const message = redact(cleanText(error instanceof Error ? error.message : String(error), 1000));
  if (isRecord(error) && typeof error["code"] === "number") {
    return fromRpcError({ code: error["code"], message, data: error["data"] }, context);
  }
  return new ToolportError(`${JSON.stringify(serverId)} failed at ${method}: ${message}`, {
    code: codeOf(error, message, method),
    serverId,
    toolName,
    details: { operation: method, ...offeredVersion(message) },
    cause: error,
  });
}

// The SDK's error codes that a host can act on; anything else during a handshake is a failed handshake.
function codeOf(error: unknown, message: string, method: string): ToolportErrorCode {
  const code = isRecord(error) ? error["code"] : undefined;
  const isHandshake = method === "initialize" || method === "server/discover";
  if (offeredVersion(message) !== undefined) return "unsupported_protocol";
  if (isHandshake) return code === "REQUEST_TIMEOUT" ? "connect_timeout" : "handshake_failed";
  switch (code) {
    case "REQUEST_TIMEOUT":
      return "request_timeout";
    case "CONNECTION_CLOSED":
    case "NOT_CONNECTED":
    case "SEND_FAILED":
      return "connection_closed";
    case "INVALID_RESULT":
    case "UNSUPPORTED_RESULT_TYPE":
      return "protocol_error";
    case "INPUT_REQUIRED_ROUNDS_EXCEEDED":
      return "input_required";
    default:
      return "internal_error";
  }
}

// The SDK throws a plain Error with this text when `initialize` is answered with a revision it does not know.
function offeredVersion(message: string): { readonly supported: readonly string[] } | undefined {
  const version = /protocol version is not supported: (.{1,40})$/i.exec(message)?.[1];
  return version === undefined ? undefined : { supported: [version] };
}

function findToolportError(error: unknown): ToolportError | undefined {
  let current = error;
  // A chain of causes is short; the bound is against one that loops.
  for (let depth = 0; depth < 8 && current !== undefined; depth += 1) {
    if (isToolportError(current)) return current;
    if (!isRecord(current)) return undefined;
    const { data } = current;
    if (isToolportError(data)) return data;
    current = current["cause"];
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
