import { isHostsideError, HostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import type { ActiveRequest } from "../message/active-request.ts";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";
import { metaKeys, metaOf, passOn } from "../message/meta.ts";
import type { PeerContext } from "../peer/peer-context.ts";
import type { GatewayTools, ReadOptions } from "../settings/gateway-client.ts";

/** Does what takes no longer than `limits.requestMs`, and ends with its request. */
export async function bounded<T>(
  context: PeerContext,
  request: ActiveRequest,
  work: (options: ReadOptions) => Promise<T>,
): Promise<T> {
  const { settings, client } = context;
  const { limits } = settings;
  const timeoutMs = limits.requestMs;
  const onTimeout = (): HostsideError =>
    new HostsideError(`${request.method} was not answered within ${formatMs(timeoutMs)}`, { code: "request_timeout" });
  const deadline = createDeadline({ timeoutMs, signal: request.stop.signal, onTimeout });
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
 * The context that the host's layers get of a request, beside whose it is, which the context of the
 * view says.
 */
export function callContextOf({ uid }: ActiveRequest): { readonly causationId: string } {
  return { causationId: uid };
}

/** Waits for servers that are still starting. Rejects where the request ends. */
export async function untilListed(context: PeerContext, request: ActiveRequest): Promise<void> {
  const { listWaitMs } = context.settings.limits;
  await bounded(context, request, ({ signal }) => waitForTools(context.conversation.tools, { listWaitMs, signal }));
}

interface ListWait {
  readonly listWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

// A server that hangs costs a client with tools of others no more than this part of the time.
const steps = 5;

/**
 * Waits for `listWaitMs` at most, and for a part of it where tools of another server are there: a
 * client hears of the others by `list_changed`.
 */
export async function waitForTools(tools: GatewayTools, { listWaitMs, signal }: ListWait): Promise<void> {
  for (let step = 1; step <= steps; step += 1) {
    await tools.whenListed?.({ timeoutMs: (listWaitMs * step) / steps, signal });
    if (hasServerTools(tools)) return;
  }
}

// Tools of the host itself are there from the start.
function hasServerTools(tools: GatewayTools): boolean {
  const isOfServer = (name: string): boolean => (tools.find(name)?.origin?.serverId ?? "") !== "";
  return tools.groups().some(({ members }) => members.some(isOfServer));
}

/**
 * A list or a read as its era has it: 2026-07-28 wants to know for how long it may be kept and by
 * whom. Unless it is known, not at all, and by its reader alone.
 */
export function cacheable(
  { client }: PeerContext,
  result: JsonObject,
  { ttlMs = 0, cacheScope = "private" }: { readonly ttlMs?: number; readonly cacheScope?: string } = {},
): JsonObject {
  return client.era === "legacy" ? result : { ...result, ttlMs: Math.max(0, Math.trunc(ttlMs)), cacheScope };
}

/**
 * One page of a list. The cursor names the entry that the page before it ended with, so that a list
 * that changes meanwhile loses nothing.
 */
export function paginate(
  all: readonly JsonObject[],
  params: JsonObject,
  { size, keyOf }: { readonly size: number; readonly keyOf: (entry: JsonObject) => JsonValue | undefined },
): { readonly entries: readonly JsonObject[]; readonly nextCursor?: string } {
  const { cursor } = params;
  const start = cursor === undefined ? 0 : findStart(all, cursor, keyOf);
  const entries = all.slice(start, start + size);
  const last = entries.at(-1);
  const key = last && keyOf(last);
  if (typeof key !== "string" || start + size >= all.length) return { entries };
  return { entries, nextCursor: `after:${key}` };
}

function findStart(
  all: readonly JsonObject[],
  cursor: JsonValue,
  keyOf: (entry: JsonObject) => JsonValue | undefined,
): number {
  const key = typeof cursor === "string" && cursor.startsWith("after:") ? cursor.slice("after:".length) : undefined;
  const index = key === undefined ? -1 : all.findIndex((entry) => keyOf(entry) === key);
  if (index === -1) throw rpcError(rpcCodes.invalidParams, "Invalid cursor: list again from the beginning");
  return index + 1;
}
