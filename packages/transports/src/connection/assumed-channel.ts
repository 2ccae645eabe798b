import { isHostsideError, HostsideError } from "@hostside/core";
import type { ServerContext } from "../context/server-context.ts";
import type { RequestChannel } from "../message/request-channel.ts";

/** A channel to a server that has not been heard of yet, and is taken for the one that it was. */
export interface AssumedChannel extends RequestChannel {
  /** Until the server has answered. */
  readonly isAssumed: boolean;
  /** Resolves when it has. */
  readonly confirmed: Promise<void>;
}

/** What an {@linkcode AssumedChannel} is made from. */
export interface AssumedChannelInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  /** The server is another one: nothing more is to be sent to it here. */
  readonly onOther: (error: HostsideError) => void;
  /** The server does not know a tool that it had. */
  readonly onToolsChanged: () => void;
}

// How a server refuses what begins with no handshake, or comes to where another transport is
// spoken; none of them runs a request that it refuses so.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
const refusals: ReadonlySet<number> = new Set([400, 404, 405, 415]);

/**
 * Watches the first answers. A result says that the server is the one that it was. A refusal by
 * HTTP that is no answer to the request, or by the error of 2026-07-28 for an unknown revision,
 * says that it is not, and that the request did not run: that one gets `unsupported_protocol`,
 * `failed`. Whatever else it says may come from a tool: the request gets that, and the server is
 * asked who it is.
 */
export function createAssumedChannel({
  context,
  channel,
  onOther,
  onToolsChanged,
}: AssumedChannelInit): AssumedChannel {
  const { serverId, settings } = context;
  let isAssumed = true;
  let isAsking = false;
  let confirm = (): void => undefined;
  const confirmed = new Promise<void>((resolve) => {
    confirm = () => {
      isAssumed = false;
      resolve();
    };
  });
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const timeoutMs = settings.timeouts.requestMs;
    try {
      await channel.request({ method: "server/discover", params: {}, timeoutMs, timeoutCode: "request_timeout" });
      confirm();
    } catch (error) {
      if (isAssumed && isHostsideError(error) && isAnswer(error)) onOther(otherServer(serverId, error));
    }
    isAsking = false;
  };
  const judge = (error: unknown): unknown => {
    if (!isHostsideError(error) || error.code === "unsupported_protocol") return error;
    if (isRefusedByHttp(error)) {
      const other = otherServer(serverId, error);
      onOther(other);
      return other;
    }
    if (error.code === "tool_removed") onToolsChanged();
    if (isAnswer(error)) void ask();
    return error;
  };
  return {
    get isAssumed() {
      return isAssumed;
    },
    confirmed,
    activeClock: channel.activeClock,
    get sessionId() {
      return channel.sessionId;
    },
    get isOpen() {
      return channel.isOpen;
    },
    async request(request) {
      if (!isAssumed) return channel.request(request);
      try {
        const result = await channel.request(request);
        confirm();
        return result;
      } catch (error) {
        throw isAssumed ? judge(error) : error;
      }
    },
    notify: (method, params) => channel.notify(method, params),
    close: (error, reason) => channel.close(error, reason),
  };
}

function isRefusedByHttp({ code, outcome, details }: HostsideError): boolean {
  return code === "http_error" && outcome === "failed" && refusals.has(details.httpStatus ?? 0);
}

function isAnswer({ code, details }: HostsideError): boolean {
  return details.rpcCode !== undefined || code === "http_error" || code === "protocol_error";
}

function otherServer(serverId: string, cause: HostsideError): HostsideError {
  const { rawMessage, toolName, details } = cause;
  return new HostsideError(
    `server ${JSON.stringify(serverId)} does not answer as the server of 2026-07-28 that it was when its tools were listed: ${rawMessage}`,
    { code: "unsupported_protocol", serverId, toolName, outcome: "failed", details, cause },
  );
}
