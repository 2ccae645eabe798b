import { isHostsideError, HostsideError } from "@hostside/core";
import type { RequestChannel } from "../message/outgoing-request.ts";
import type { Wire } from "../wire/wire.ts";

// How a server refuses what begins with no handshake, or comes to where another transport is
// spoken; none of them runs a request that it refuses so.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
const refusals: ReadonlySet<number> = new Set([400, 404, 405, 415]);

/**
 * Watches the first answers on a wire whose server is taken for the one that it was. A result
 * confirms it. A refusal by HTTP that is no answer to the request says that the server is another
 * one, and that the request did not run: the request gets `unsupported_protocol`, `failed`.
 * Anything else that a server answers may come from a tool: the request gets that. In both cases
 * the wire is left, so that the next request goes out after a handshake.
 */
export function createAssumedChannel(
  wire: Wire,
  { serverId, onToolsChanged }: { readonly serverId: string; readonly onToolsChanged: () => void },
): RequestChannel & { readonly isAssumed: boolean; readonly confirmed: Promise<void> } {
  let isAssumed = true;
  let confirm = (): void => undefined;
  const confirmed = new Promise<void>((resolve) => {
    confirm = () => {
      isAssumed = false;
      resolve();
    };
  });
  const judge = (error: unknown): unknown => {
    if (!isHostsideError(error) || error.code === "unsupported_protocol") return error;
    const { code, outcome, details } = error;
    const isRefused = code === "http_error" && outcome === "failed" && refusals.has(details.httpStatus ?? 0);
    if (code === "tool_removed") onToolsChanged();
    if (isRefused || details.rpcCode !== undefined || code === "http_error" || code === "protocol_error") {
      const other = otherServer(serverId, error);
      wire.leave(other);
      if (isRefused) return other;
    }
    return error;
  };
  return {
    get isAssumed() {
      return isAssumed;
    },
    confirmed,
    get sessionId() {
      return wire.sessionId;
    },
    get isOpen() {
      return wire.isOpen;
    },
    async request(request) {
      if (!isAssumed) return wire.request(request);
      try {
        const result = await wire.request(request);
        confirm();
        return result;
      } catch (error) {
        throw isAssumed ? judge(error) : error;
      }
    },
    notify: (method, params) => wire.notify(method, params),
    close: (error, reason) => wire.close(error, reason),
  };
}

function otherServer(serverId: string, cause: HostsideError): HostsideError {
  const { rawMessage, toolName, details } = cause;
  return new HostsideError(
    `server ${JSON.stringify(serverId)} does not answer as the server of 2026-07-28 that it was when its tools were listed: ${rawMessage}`,
    { code: "unsupported_protocol", serverId, toolName, outcome: "failed", details, cause },
  );
}
