import { createDeadline, isJsonObject, ToolportError, type Clock, type JsonObject } from "@toolport/core";
import type { RequestChannel } from "../connection/request-channel.ts";
import { fromSdkError } from "../errors/from-sdk-error.ts";
import type { ServerSettings } from "../resolve-settings.ts";
import { settleWithin } from "../settle-within.ts";
import { createActiveClock } from "../wire/active-clock.ts";
import type { HotRequest } from "../wire/hot-requests.ts";
import type { CustomClient } from "./custom-parts.ts";
import { passThrough } from "./pass-through-schema.ts";

/** What a channel over an SDK client is made from. */
export interface ClientChannelInit {
  readonly client: CustomClient;
  readonly serverId: string;
  readonly clock: Clock;
  readonly settings: ServerSettings;
  /** Ends the listening in on the client. */
  readonly unwatch: () => void;
  readonly redact: (text: string) => string;
}

/** A {@linkcode RequestChannel} over an SDK client of either line, which speaks JSON-RPC itself. */
export function createClientChannel(init: ClientChannelInit): RequestChannel {
  const { client, clock, settings, unwatch } = init;
  const closing = new AbortController();
  return {
    activeClock: createActiveClock(clock),
    request: (request) => send(init, request, closing.signal),
    async notify(method, params) {
      // Both lines take `{ method, params }`; their types name the methods.
      await client.notification({ method, ...(params && { params }) } as never);
    },
    async close(error) {
      if (closing.signal.aborted) return;
      closing.abort(error);
      unwatch();
      await settleWithin(callClose(client), settings.timeouts.closeMs, clock);
    },
  };
}

// Also for a client that throws where it should reject.
async function callClose(client: CustomClient): Promise<void> {
  await client.close();
}

async function send(init: ClientChannelInit, request: HotRequest, closing: AbortSignal): Promise<JsonObject> {
  const { client, serverId, clock, redact } = init;
  const { method, params, timeoutMs, idleMs, timeoutCode, signal, onProgress, headers, toolName } = request;
  const known = { serverId, toolName, details: { operation: method } };
  const fail = (what: string, code: "aborted" | "call_timeout" | "list_timeout" | "request_timeout"): ToolportError =>
    new ToolportError(`${method} on server ${JSON.stringify(serverId)} ${what}`, {
      ...known,
      code,
      outcome: "unknown",
    });
  if (closing.aborted) throw new ToolportError("the connection was closed", { ...known, code: "closed" });
  const stop = AbortSignal.any(signal === undefined ? [closing] : [closing, signal]);
  const deadline = createDeadline({ timeoutMs, signal: stop, onTimeout: () => "timed out", clock });
  const options = {
    signal: deadline.signal,
    headers,
    // The deadline is ours; the client's own would otherwise end the call after a minute.
    timeout: idleMs ?? 2 ** 31 - 1,
    resetTimeoutOnProgress: true,
    ...((onProgress ?? idleMs) !== undefined && { onprogress: onProgress ?? (() => undefined) }),
  };
  try {
    // Both lines take these three; their types name methods and schema classes.
    const result = await client.request({ method, params } as never, passThrough as never, options as never);
    if (isJsonObject(result)) return result;
    throw new ToolportError(`${method} on server ${JSON.stringify(serverId)} was answered without an object`, {
      ...known,
      code: "protocol_error",
    });
  } catch (error) {
    if (closing.aborted) throw closing.reason;
    if (signal?.aborted) throw fail("was aborted", "aborted");
    if (deadline.signal.aborted) throw fail(`did not finish within ${timeoutMs} ms`, timeoutCode);
    const failure = fromSdkError(error, { serverId, method, toolName, redact });
    throw failure.code === "request_timeout" ? fail(`was silent for ${idleMs ?? timeoutMs} ms`, timeoutCode) : failure;
  } finally {
    deadline.dispose();
  }
}
