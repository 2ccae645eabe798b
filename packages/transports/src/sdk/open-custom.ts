import type { JSONRPCMessage, Transport as SdkTransport } from "@modelcontextprotocol/client";
import { isHostsideError, HostsideError, type JsonObject, type ServerSpec } from "@hostside/core";
import { safeCause, serverTypeOf, settleWithin, untilAborted } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { TransportContext } from "../context/transport-context.ts";
import { rejectDeepMessage } from "../message/admission.ts";
import type { RpcErrorContext } from "../message/from-rpc-error.ts";
import type { Transport } from "../message/transport.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import { fromSdkError } from "./from-sdk-error.ts";

/**
 * A transport of your own: what `open` of a custom spec may return. The `Transport` of both SDK
 * lines is one. The connection sets the three callbacks, then calls `start()`, and owns the
 * transport from then on.
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
 * An SDK client that is connected already: the other thing that `open` may return. The `Client` of
 * both SDK lines is one. Its own handlers go on to answer the server's requests; the connection
 * owns it and closes it.
 */
export interface CustomClient {
  request(request: never, resultSchema: never, options?: never): Promise<unknown>;
  notification(notification: never): Promise<void>;
  close(): Promise<void>;
  getServerCapabilities(): unknown;
  getServerVersion(): unknown;
  getInstructions(): unknown;
}

/** What a custom spec's `open` returned. */
export type OpenedCustom = { readonly transport: Transport } | { readonly client: CustomClient };

/**
 * Calls `spec.open`. Throws `unreachable` when it does, or the very error if that is a
 * `HostsideError`; `internal_error` when it returns neither a transport nor a client. What it
 * returns after an abort is closed.
 */
export async function openCustom(spec: ServerSpec, context: TransportContext): Promise<OpenedCustom> {
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
  if (isCustomClient(opened)) return { client: opened };
  // Checked for the methods that both SDK lines call; the callbacks are ours to set.
  if (isCustomTransport(opened)) return { transport: adaptTransport(opened as SdkTransport, context) };
  const message = `"open" of server ${JSON.stringify(serverId)} returned neither a transport nor an SDK client`;
  throw new HostsideError(message, { code: "internal_error", serverId, outcome: "not-sent" });
}

async function closeLate(opening: Promise<unknown>, context: ServerContext): Promise<void> {
  const opened = await opening.catch(() => undefined);
  if (isCustomClient(opened) || isCustomTransport(opened)) await closePart(opened, context);
}

/**
 * Closes a part that is not ours: within `timeouts.closeMs`, and however it fails. Never rejects.
 */
export function closePart(part: { close(): Promise<void> }, { settings }: ServerContext): Promise<void> {
  const close = async (): Promise<void> => part.close();
  return settleWithin(close(), settings.timeouts.closeMs);
}

function isCustomClient(value: unknown): value is CustomClient {
  return hasMethods(value, ["request", "notification", "close", "getServerCapabilities"]);
}

function isCustomTransport(value: unknown): value is CustomTransport {
  return hasMethods(value, ["start", "send", "close"]);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  // A class keeps its methods on the prototype, so that they are looked up, not listed.
  return names.every((name) => typeof Reflect.get(value, name) === "function");
}

/**
 * Makes a {@linkcode Transport} of an SDK-style transport of either line that closes once and in
 * time, whatever the transport does, and lets nothing in that is nested too deeply.
 */
function adaptTransport(transport: SdkTransport, context: ServerContext): Transport {
  const { serverId, redact } = context;
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
      await transport.start();
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
        throw toSendError(error, { serverId, redact, method: typeof method === "string" ? method : "an answer" });
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

// What no SDK throws says only that this message may not have arrived.
function toSendError(error: unknown, context: RpcErrorContext): HostsideError {
  const failure = fromSdkError(error, context, "transport");
  if (failure.code !== "internal_error") return failure;
  const { serverId, method, redact } = context;
  const reason = safeExcerpt(error instanceof Error ? error.message : String(error), redact, 1000);
  return new HostsideError(`the transport of server ${JSON.stringify(serverId)} failed to send ${method}: ${reason}`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    details: { operation: method },
    cause: safeCause(error, redact),
  });
}
