import type { JSONRPCMessage, Transport as SdkTransport } from "@modelcontextprotocol/client";
import { HostsideError, type JsonObject } from "@hostside/core";
import { safeCause } from "@hostside/core/implement";
import type { SendOptions, Transport } from "../message/transport.ts";
import type { ServerContext } from "../context/server-context.ts";
import type { RpcErrorContext } from "../message/from-rpc-error.ts";
import { fromSdkError } from "./from-sdk-error.ts";
import { rejectDeepMessage } from "../message/admission.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import { closePart } from "./close-part.ts";

/**
 * Makes a {@linkcode Transport} of an SDK-style transport of either line that closes once and in
 * time, whatever the transport does, and lets nothing in that is nested too deeply.
 */
export function adaptTransport(transport: SdkTransport, context: ServerContext): Transport {
  const { serverId, redact } = context;
  let closed: Promise<void> | undefined;
  let isClosed = false;
  const adapted: Transport = {
    async start() {
      if (closed !== undefined) throw new Error("The transport is closed");
      await transport.start();
    },
    async send(message, options) {
      try {
        // The type names the members of a message.
        await transport.send(message as unknown as JSONRPCMessage, forTransport(options));
      } catch (error) {
        throw toSendError(error, {
          serverId,
          redact,
          method: typeof message["method"] === "string" ? message["method"] : "an answer",
        });
      }
    },
    close() {
      closed ??= closePart(transport, context).then(finish);
      return closed;
    },
    ...(transport.hasPerRequestStream === true && { hasPerRequestStream: true }),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
  };
  function finish(): void {
    if (isClosed) return;
    isClosed = true;
    adapted.onclose?.();
  }
  transport.onmessage = (message) => {
    // Checked by whoever reads a member of it.
    if (!isClosed) rejectDeepMessage(message as unknown as JsonObject, adapted, serverId);
  };
  transport.onerror = (error) => {
    if (!isClosed) adapted.onerror?.(error);
  };
  transport.onclose = finish;
  return adapted;
}

// The host's context is for the host alone: a transport that somebody else wrote may hand on
// whatever it gets.
function forTransport(options: SendOptions | undefined): Omit<SendOptions, "callContext"> | undefined {
  if (options?.callContext === undefined) return options;
  const { callContext: _, ...rest } = options;
  return rest;
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
