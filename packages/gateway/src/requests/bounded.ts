import { isHostsideError, HostsideError } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import type { GatewayReadOptions } from "../gateway-client.ts";
import { metaKeys, metaOf, passOn } from "../message/meta.ts";
import type { ActiveRequest } from "../peer/active-request.ts";
import type { PeerContext } from "../peer/peer-context.ts";

/** Does what takes no longer than `limits.requestMs`, and ends with its request. */
export async function bounded<T>(
  context: PeerContext,
  request: ActiveRequest,
  work: (options: GatewayReadOptions) => Promise<T>,
): Promise<T> {
  const { settings, client } = context;
  const { limits, clock } = settings;
  const timeoutMs = limits.requestMs;
  const onTimeout = (): HostsideError =>
    new HostsideError(`${request.method} was not answered within ${formatMs(timeoutMs)}`, { code: "request_timeout" });
  const deadline = createDeadline({ timeoutMs, signal: request.stop.signal, onTimeout, clock });
  const level = logLevelOf(context, request);
  const carried = passOn(metaOf(request.params));
  const meta = level === undefined ? carried : { ...carried, [metaKeys.logLevel]: level };
  try {
    const working = work({
      signal: deadline.signal,
      context: { ...client.view.context, ...callContextOf(request) },
      ...(meta !== undefined && { meta }),
    });
    return await untilAborted(working, deadline.signal);
  } catch (error) {
    if (deadline.signal.aborted && isHostsideError(deadline.signal.reason)) throw deadline.signal.reason;
    throw error;
  } finally {
    deadline.dispose();
  }
}

/**
 * From which level on the client wants lines of logs that belong to this request. A server of
 * 2026-07-28 writes them only for requests that say so.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
export function logLevelOf({ conversation, news }: PeerContext, { logLevel }: ActiveRequest): string | undefined {
  return conversation.onServerLog === undefined ? undefined : (logLevel ?? news.logLevel);
}

/**
 * What the host's layers learn of a request, beside whose it is, which the context of the view
 * says.
 */
export function callContextOf({ uid }: ActiveRequest): { readonly causationId: string } {
  return { causationId: uid };
}
