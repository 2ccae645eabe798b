import { isHostsideError, HostsideError, type JsonObject } from "@hostside/core";
import { createDeadline, isJsonObject, untilAborted, withErrorContext } from "@hostside/core/implement";
import type { RequestChannel } from "../message/request-channel.ts";
import { fromSdkError } from "./from-sdk-error.ts";
import type { ServerContext } from "../context/server-context.ts";
import { createActiveClock } from "../time/active-clock.ts";
import { eitherSignal } from "../time/either-signal.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import {
  requestAbortedError,
  errorContextOf,
  malformedAnswerError,
  requestTimeoutError,
} from "../message/request-errors.ts";
import { closePart } from "./close-part.ts";
import type { CustomClient } from "./custom-parts.ts";
import { describeClient, hasPerRequestStream } from "./describe-client.ts";

/** What a channel over an SDK client is made from. */
export interface ClientChannelInit {
  readonly context: ServerContext;
  readonly client: CustomClient;
  /** Ends the listening in on the client. */
  readonly unwatch: () => void;
}

// What a timer can take.
const longestTimeoutMs = 2 ** 31 - 1;

/** A {@linkcode RequestChannel} over an SDK client of either line, which speaks JSON-RPC itself. */
export interface ClientChannel extends RequestChannel {
  /** Resolves when the requests under way are settled. */
  drained(): Promise<void>;
}

/** Makes one. */
export function createClientChannel(init: ClientChannelInit): ClientChannel {
  const { context, client, unwatch } = init;
  const { serverId, clock, redact } = context;
  const closing = new AbortController();
  let closed: Promise<void> | undefined;
  const underWay = new Set<Promise<unknown>>();
  return {
    activeClock: createActiveClock(clock),
    request(request) {
      const answer = send(init, request, closing.signal);
      const forget = (): void => void underWay.delete(answer);
      underWay.add(answer);
      answer.then(forget, forget);
      return answer;
    },
    async drained() {
      await Promise.allSettled(underWay);
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
      if (closed === undefined) {
        closing.abort(error);
        unwatch();
        closed = closePart(client, context);
      }
      return closed;
    },
  };
}

async function send(init: ClientChannelInit, request: OutgoingRequest, closing: AbortSignal): Promise<JsonObject> {
  const { context, client } = init;
  const { serverId, clock, redact } = context;
  const { method, params, timeoutMs, idleMs, signal, onProgress, headers, toolName } = request;
  if (closing.aborted)
    throw withErrorContext(toClosedError(closing), { ...errorContextOf(request), outcome: "not-sent" });
  if (signal?.aborted) throw requestAbortedError(context, request, "not-sent");
  const stop = eitherSignal(signal, closing);
  const deadline = createDeadline({ timeoutMs, signal: stop.signal, onTimeout: () => "timed out", clock });
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
 * on what it is given, v2 takes any Standard Schema (https://standardschema.dev). Neither needs a
 * schema library for it.
 */
const passThrough: {
  readonly parse: (value: unknown) => unknown;
  readonly safeParse: (value: unknown) => { readonly success: true; readonly data: unknown };
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "hostside";
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
} = {
  parse: (value) => value,
  safeParse: (value) => ({ success: true, data: value }),
  "~standard": { version: 1, vendor: "hostside", validate: (value) => ({ value }) },
};
