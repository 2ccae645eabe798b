import type { JSONRPCMessage, Transport as SdkTransport } from "@modelcontextprotocol/client";
import {
  isHostsideError,
  HostsideError,
  type HostsideErrorCode,
  type JsonObject,
  type ServerSpec,
} from "@hostside/core";
import { safeCause, serverTypeOf, settleWithin, untilAborted } from "@hostside/core/implement";
import type { ServerContext, TransportContext } from "../context/server-context.ts";
import { rejectDeepMessage } from "../message/bound-message.ts";
import type { Transport } from "../message/transport.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";

/**
 * A transport of your own: what `open` of a custom spec returns. The `Transport` of both SDK lines
 * is one, as long as it is not started. The connection sets the three callbacks, then calls
 * `start()`, and owns the transport from then on.
 */
export interface CustomTransport {
  start(): Promise<void>;
  /** Sends one JSON-RPC message; resolves when it is handed on. */
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: unknown;
  onclose?: unknown;
  onerror?: unknown;
}

/**
 * Calls `spec.open`. Throws `unreachable` when it does, or the very error if that is a
 * `HostsideError`; `internal_error` when it returns no transport. A transport that comes after an
 * abort is closed.
 */
export async function openCustom(spec: ServerSpec, context: TransportContext): Promise<Transport> {
  const { serverId, signal, redact } = context;
  if (spec.type !== "custom") throw new TypeError(`openCustom() cannot open a server of type "${serverTypeOf(spec)}"`);
  const call = async (): Promise<unknown> => spec.open({ serverId, signal });
  const opening = call();
  let opened: unknown;
  try {
    opened = await untilAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) void closeLate(opening, context);
    if (isHostsideError(error) || signal.aborted) throw error;
    throw new HostsideError(`"open" of server ${JSON.stringify(serverId)} failed`, {
      code: "unreachable",
      serverId,
      cause: safeCause(error, redact),
    });
  }
  // Checked for the methods that both SDK lines call; the callbacks are ours to set.
  if (isCustomTransport(opened)) return adaptTransport(opened as SdkTransport, context.lasting);
  const message = `"open" of server ${JSON.stringify(serverId)} returned no transport with start(), send() and close()`;
  throw new HostsideError(message, { code: "internal_error", serverId, outcome: "not-sent" });
}

async function closeLate(opening: Promise<unknown>, context: ServerContext): Promise<void> {
  const opened = await opening.catch(() => undefined);
  if (isCustomTransport(opened)) await closePart(opened, context);
}

/** Closes a transport that is not ours: within `timeouts.closeMs`, and however it fails. */
function closePart(part: Pick<CustomTransport, "close">, { settings }: ServerContext): Promise<void> {
  const close = async (): Promise<void> => part.close();
  return settleWithin(close(), settings.timeouts.closeMs);
}

function isCustomTransport(value: unknown): value is CustomTransport {
  if (typeof value !== "object" || value === null) return false;
  // A class keeps its methods on the prototype, so that they are looked up, not listed.
  return ["start", "send", "close"].every((name) => typeof Reflect.get(value, name) === "function");
}

/**
 * Makes a {@linkcode Transport} of an SDK-style transport of either line that closes once and in
 * time, whatever the transport does, and lets nothing in that is nested too deeply.
 */
function adaptTransport(transport: SdkTransport, context: ServerContext): Transport {
  const { serverId } = context;
  let closed: Promise<void> | undefined;
  let isClosed = false;
  const finish = (): void => {
    if (isClosed) return;
    isClosed = true;
    adapted.onclose?.();
  };
  const adapted: Transport = {
    async start() {
      if (closed !== undefined) throw new Error("The transport is closed");
      try {
        await transport.start();
      } catch (error) {
        throw toTransportError(error, context, { code: "handshake_failed", what: "start" });
      }
    },
    async send(message, options) {
      // The host's context is for the host alone: a transport that somebody else wrote may hand on
      // whatever it gets.
      const { callContext: _, ...rest } = options ?? {};
      try {
        // The type names the members of a message.
        await transport.send(message as unknown as JSONRPCMessage, options && rest);
      } catch (error) {
        const { method } = message;
        const what = `send ${typeof method === "string" ? method : "an answer"}`;
        throw toTransportError(error, context, { code: "connection_closed", what });
      }
    },
    close: () => (closed ??= closePart(transport, context).then(finish)),
    ...(transport.hasPerRequestStream === true && { hasPerRequestStream: true }),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
  };
  transport.onmessage = (message) => {
    if (!isClosed) rejectDeepMessage(message as unknown as JsonObject, adapted, serverId);
  };
  transport.onerror = (error) => {
    if (!isClosed) adapted.onerror?.(error);
  };
  transport.onclose = finish;
  return adapted;
}

const refusals: Readonly<Record<number, HostsideErrorCode>> = {
  401: "auth_required",
  403: "forbidden",
  429: "rate_limited",
};

/**
 * Names what a transport threw: an error of ours, also behind another one; an HTTP status, which
 * the two SDK lines have as `status` or `code`; or else `failure`, which says only that the message
 * may not have arrived.
 */
function toTransportError(
  error: unknown,
  { serverId, redact }: ServerContext,
  failure: { readonly code: HostsideErrorCode; readonly what: string },
): HostsideError {
  // A chain of causes is short; the bound is against one that loops.
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (isHostsideError(current)) return current;
    current = current.cause;
  }
  const { status, code } = (error instanceof Error ? error : {}) as {
    readonly status?: unknown;
    readonly code?: unknown;
  };
  const httpStatus = [status, code].find((it): it is number => typeof it === "number" && it >= 400 && it < 600);
  // The SDK's own OAuth gave up.
  const isUnauthorized = error instanceof Error && error.constructor.name === "UnauthorizedError";
  const reason = safeExcerpt(error instanceof Error ? error.message : String(error), redact, 1000);
  // A client error is a refusal; after a server error the message may have been taken all the same.
  const isRefused = httpStatus !== undefined && httpStatus < 500 && httpStatus !== 408;
  return new HostsideError(`the transport of server ${JSON.stringify(serverId)} failed to ${failure.what}: ${reason}`, {
    code: isUnauthorized
      ? "auth_required"
      : httpStatus === undefined
        ? failure.code
        : (refusals[httpStatus] ?? "http_error"),
    serverId,
    ...(httpStatus !== undefined && { outcome: isRefused ? "failed" : "unknown" }),
    details: { ...(httpStatus !== undefined && { httpStatus }) },
    cause: safeCause(error, redact),
  });
}
