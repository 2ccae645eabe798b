import { isHostsideError, HostsideError, type JsonObject } from "@hostside/core";
import { createDeadline, isJsonObject, settleWithin, untilAborted, withErrorContext } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { ListeningClient } from "../message/listening-client.ts";
import { anyMemberOf } from "../message/member-of.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { ClaimedServerInfo } from "../message/read-server-info.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import {
  errorContextOf,
  malformedAnswerError,
  requestAbortedError,
  requestTimeoutError,
} from "../message/request-errors.ts";
import { createActiveClock } from "../time/active-clock.ts";
import { eitherSignal } from "../time/cancellable-wait.ts";
import { fromSdkError } from "./from-sdk-error.ts";
import type { CustomClient } from "./open-custom.ts";

/** What a channel over an SDK client is made from. */
export interface ClientChannelInit {
  readonly context: ServerContext;
  readonly client: CustomClient;
  readonly onNotification: (method: string, params: unknown) => void;
  /** The client was closed, and its requests are settled. */
  readonly onEnd: () => void;
  /** The channel is closed. */
  readonly onClose: () => void;
}

// What a timer can take.
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * A {@linkcode RequestChannel} over an SDK client of either line, which speaks JSON-RPC itself.
 * Listens in on the client without taking anything from its owner: the callbacks that are set stay
 * and run first. Notifications are seen at the transport, because a client has one handler per
 * method and it may be taken.
 */
export function createClientChannel(init: ClientChannelInit): RequestChannel {
  const { context, client, onNotification, onEnd, onClose } = init;
  const { serverId, redact, settings } = context;
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  // The client tells of its end before it rejects what was under way.
  const drained = async (): Promise<void> => {
    await Promise.allSettled(underWay);
  };
  const restores = [chain(client, "onclose", () => void drained().then(onEnd))];
  const transport: unknown = Reflect.get(client, "transport");
  if (typeof transport === "object" && transport !== null) {
    restores.push(
      chain(transport, "onmessage", (message) => {
        const { id, method, params } = isJsonObject(message) ? message : {};
        if (id === undefined && typeof method === "string") onNotification(method, params);
      }),
    );
  }
  return {
    activeClock: createActiveClock(),
    request(request) {
      const answer = send(init, request, closing.signal);
      const forget = (): void => void underWay.delete(answer);
      underWay.add(answer);
      answer.then(forget, forget);
      return answer;
    },
    async notify(method, params) {
      if (closing.signal.aborted) throw withErrorContext(toClosedError(closing.signal), { outcome: "not-sent" });
      try {
        // Both lines take `{ method, params }`; their types name the methods.
        await client.notification({ method, ...(params && { params }) } as never);
      } catch (error) {
        throw fromSdkError(error, { serverId, method, redact });
      }
    },
    close(error) {
      if (closed !== undefined) return closed;
      closing.abort(error);
      for (const restore of restores) restore();
      onClose();
      const close = async (): Promise<void> => client.close();
      return (closed = settleWithin(close(), settings.timeouts.closeMs));
    },
  };
}

function chain(owner: object, name: string, listener: (value: unknown) => void): () => void {
  const before: unknown = Reflect.get(owner, name);
  const both = (...values: readonly unknown[]): void => {
    if (typeof before === "function") Reflect.apply(before, owner, values);
    listener(values[0]);
  };
  Reflect.set(owner, name, both);
  return () => {
    if (Reflect.get(owner, name) === both) Reflect.set(owner, name, before);
  };
}

async function send(
  { context, client }: ClientChannelInit,
  request: OutgoingRequest,
  closing: AbortSignal,
): Promise<JsonObject> {
  const { serverId, redact } = context;
  const { method, params, timeoutMs, idleMs, signal, onProgress, headers, toolName } = request;
  if (closing.aborted)
    throw withErrorContext(toClosedError(closing), { ...errorContextOf(request), outcome: "not-sent" });
  if (signal?.aborted) throw requestAbortedError(context, request, "not-sent");
  const stop = eitherSignal(signal, closing);
  const deadline = createDeadline({ timeoutMs, signal: stop.signal, onTimeout: () => "timed out" });
  const options = {
    signal: deadline.signal,
    headers,
    // The deadline is ours; the client's own would otherwise end the call after a minute.
    timeout: idleMs ?? longestTimeoutMs,
    resetTimeoutOnProgress: true,
    ...((onProgress ?? idleMs) !== undefined && { onprogress: onProgress ?? ignore }),
  };
  try {
    // Both lines take these three; their types name methods and schema classes.
    const answer = client.request({ method, params } as never, passThrough as never, options as never);
    // Not every client that is plugged in heeds a signal.
    const result = await untilAborted(answer, deadline.signal);
    if (!isJsonObject(result)) throw malformedAnswerError(context, request, "its result is not an object");
    return result;
  } catch (error) {
    if (closing.aborted) throw withErrorContext(toClosedError(closing), errorContextOf(request));
    if (signal?.aborted) throw requestAbortedError(context, request, "unknown");
    if (deadline.signal.aborted) throw requestTimeoutError(context, request);
    const { era } = describeClient(client);
    const connection = { era, hasSession: false, isHttp: hasPerRequestStream(client) };
    const failure = fromSdkError(error, { serverId, method, toolName, connection, redact });
    throw failure.code === "request_timeout" ? requestTimeoutError(context, request) : failure;
  } finally {
    deadline.dispose();
    stop.release();
  }
}

function toClosedError({ reason }: AbortSignal): HostsideError {
  return isHostsideError(reason) ? reason : new HostsideError("the connection was closed", { code: "closed" });
}

function ignore(): void {
  // The silence between two reports is all that is asked for.
}

/**
 * A result schema that lets everything through, for SDK clients of both lines: v1 calls `safeParse`
 * on what it is given, v2 takes any Standard Schema (https://standardschema.dev).
 */
const passThrough = {
  parse: (value: unknown) => value,
  safeParse: (value: unknown) => ({ success: true, data: value }),
  "~standard": { version: 1, vendor: "hostside", validate: (value: unknown) => ({ value }) },
};

/**
 * What a connected SDK client knows of its server. The v1 line does not say which revision it
 * negotiated, except over Streamable HTTP; it is `"unknown"` then, and of the legacy era.
 */
export function describeClient(client: CustomClient): ClaimedServerInfo {
  const version =
    callIfThere(client, "getNegotiatedProtocolVersion") ??
    anyMemberOf(anyMemberOf(client, "transport"), "protocolVersion");
  return {
    era: callIfThere(client, "getProtocolEra") === "modern" ? "modern" : "legacy",
    protocolVersion: typeof version === "string" ? version : "unknown",
    implementation: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
  };
}

/** True for a client whose handshake is done and that was not closed since. */
export function isConnected(client: CustomClient): boolean {
  // An SDK client keeps the capabilities when it is closed, but not the transport.
  return isJsonObject(client.getServerCapabilities()) && (!("transport" in client) || client.transport !== undefined);
}

/** True when requests of this client are exchanges of their own, as over Streamable HTTP. */
export function hasPerRequestStream(client: CustomClient): boolean {
  return anyMemberOf(anyMemberOf(client, "transport"), "hasPerRequestStream") === true;
}

/** True for a client of the SDK line that has change streams. */
export function isListeningClient(client: object): client is ListeningClient {
  return typeof anyMemberOf(client, "listen") === "function";
}

function callIfThere(owner: object, name: string): unknown {
  const method = anyMemberOf(owner, name);
  return typeof method === "function" ? Reflect.apply(method, owner, []) : undefined;
}
