import {
  cleanText,
  HostsideError,
  type CallOptions,
  type Connection,
  type JsonObject,
  type ListToolsOptions,
  type RemoteTool,
  type ServerInfo,
  type ToolListing,
} from "@hostside/core";
import {
  clock,
  assertMessage,
  assertRequestOptions,
  createDeadline,
  formatMs,
  sameJson,
  untilAborted,
} from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { RequestChannel } from "../message/outgoing-request.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { callTool, Cooldown, isHeaderMismatch, type CallToolInit } from "./call-tool.ts";
import { listTools } from "./list-tools.ts";
import { Liveness } from "./liveness.ts";
import { findParamHeaders, mirrorParams, type ParamHeader } from "./param-headers.ts";
import { requestInRounds } from "./request-in-rounds.ts";
import type { ResourceSubscriptions } from "./resource-subscriptions.ts";

/** The parts of {@linkcode Connection}. */
export interface ConnectionInit {
  readonly context: ServerContext;
  readonly server: ServerInfo;
  readonly channel: RequestChannel;
  /**
   * Facts of a server that has not been heard of yet: the tools that it had, and whether that is
   * still so.
   */
  readonly known?: { readonly tools: readonly RemoteTool[]; readonly isAssumed: () => boolean } | undefined;
  /** Over 2026-07-28 on HTTP, arguments can be mirrored in headers. */
  readonly mirrorsParams: boolean;
  readonly elicitor: Elicitor | undefined;
  readonly resources: ResourceSubscriptions;
  /** True if servers may make tasks of calls. */
  readonly tasks: boolean;
  readonly onToolsChanged: () => void;
  /** The server answers nothing any more; who made the connection ends it. */
  readonly onDead: (error: HostsideError) => void;
  /** Called first thing by `close()`: from then on no hook is. */
  readonly onClose: () => void;
}

const closedByHost = "closed by the host";

/** The contract of core over a channel whose handshake is done. */
export function createConnection(init: ConnectionInit): Connection {
  const { context, server, channel, mirrorsParams, onDead } = init;
  const isModern = server.era === "modern";
  const closing = new AbortController();
  /** The headers of the tools that were listed over this connection. */
  let listed: Pick<ReadonlyMap<string, readonly ParamHeader[]>, "get"> | undefined;
  const calling: CallToolInit = {
    ...init,
    isModern,
    closing,
    cooldown: new Cooldown(context),
    liveness: new Liveness({ context, channel, isModern, onDead }),
    headersFor(toolName, args) {
      const declared = listed === undefined ? knownHeaders(init, toolName) : listed.get(toolName);
      return declared && mirrorParams(declared, args);
    },
  };
  const list = async (options: ListToolsOptions): Promise<ToolListing> => {
    const found = new Map<string, readonly ParamHeader[]>();
    const findFault = ({ name, inputSchema }: RemoteTool): string | undefined => {
      const { headers, fault } = findParamHeaders(inputSchema);
      if (headers !== undefined && headers.length > 0) found.set(name, headers);
      return fault;
    };
    const listing = await listTools({ context, server, channel, ...(mirrorsParams && { findFault }) }, options);
    listed = found;
    return withSafeReasons(listing, context.redact);
  };
  const call = (toolName: string, args: JsonObject, options: CallOptions): Promise<JsonObject> =>
    callTool(calling, { toolName, args, options });
  // A server that misses a header refuses the call before it runs, so that it is sent once more
  // where another listing asks for other headers. With the same ones it may have run.
  const callWithHeaders: typeof call = async (toolName, args, options) => {
    const startedAt = clock.now();
    try {
      return await call(toolName, args, options);
    } catch (error) {
      const { timeoutMs = context.settings.timeouts.callMs, signal } = options;
      const leftMs = (): number => timeoutMs - (clock.now() - startedAt);
      if (!isHeaderMismatch(error) || !error.retryable || leftMs() <= 0 || signal?.aborted === true) throw error;
      // The refusal says more than why it could not be mended.
      const sent = calling.headersFor(toolName, args);
      await list({ signal, timeoutMs: leftMs() }).catch(() => Promise.reject(error));
      if (leftMs() <= 0 || sameJson(sent ?? {}, calling.headersFor(toolName, args) ?? {})) throw error;
      return call(toolName, args, { ...options, timeoutMs: leftMs() });
    }
  };
  return withState(init, {
    server,
    listTools: (options = {}) => list(options),
    callTool: (toolName, args, options = {}) =>
      mirrorsParams ? callWithHeaders(toolName, args, options) : call(toolName, args, options),
    async request(method, params = {}, options = {}) {
      assertMessage("request()", method, params);
      assertRequestOptions(options);
      const { signal, context: callContext, observer } = options;
      const { timeoutMs = context.settings.timeouts.requestMs } = options;
      const timeoutCode = "request_timeout";
      return requestInRounds(calling, { method, params, timeoutMs, timeoutCode, signal, callContext, observer });
    },
    notify: (method, params) => notify(init, method, params),
    async subscribeResource(uri, options = {}) {
      assertRequestOptions(options);
      return init.resources.subscribe(uri, options);
    },
    close(reason = closedByHost) {
      if (typeof reason !== "string") throw new TypeError("close(): its reason must be a text");
      const error = closedError(context, reason);
      init.onClose();
      closing.abort(error);
      return channel.close(error, reason);
    },
  });
}

const state: unique symbol = Symbol("state");

// One pair of getters for all connections: of an object literal that has its own the engine makes a
// table, ten times as large. Own members, so that a copy has what they say.
const getters: PropertyDescriptorMap & ThisType<{ readonly [state]: ConnectionInit }> = {
  isAssumed: {
    enumerable: true,
    get() {
      return this[state].known?.isAssumed() === true;
    },
  },
  sessionId: {
    enumerable: true,
    get() {
      return this[state].channel.sessionId;
    },
  },
};

function withState(init: ConnectionInit, members: Omit<Connection, "isAssumed" | "sessionId">): Connection {
  return Object.defineProperties(Object.defineProperty(members, state, { value: init }), getters);
}

function closedError({ serverId, redact }: ServerContext, reason: string): HostsideError {
  const why = reason === closedByHost ? "" : `: ${cleanText(redact(reason), 200)}`;
  const message = `the connection to server ${JSON.stringify(serverId)} was closed${why}`;
  return new HostsideError(message, { code: "closed", serverId, outcome: "unknown" });
}

async function notify(
  { context, channel }: ConnectionInit,
  method: string,
  params: JsonObject | undefined,
): Promise<void> {
  assertMessage("notify()", method, params);
  const { serverId, settings } = context;
  const timeoutMs = settings.timeouts.requestMs;
  const onTimeout = (): HostsideError => {
    const message = `${method} was not taken by server ${JSON.stringify(serverId)} within ${formatMs(timeoutMs)}`;
    return new HostsideError(message, { code: "request_timeout", serverId, details: { operation: method, timeoutMs } });
  };
  const deadline = createDeadline({ timeoutMs, onTimeout });
  try {
    await untilAborted(channel.notify(method, params), deadline.signal);
  } finally {
    deadline.dispose();
  }
}

function knownHeaders({ mirrorsParams, known }: ConnectionInit, toolName: string): readonly ParamHeader[] | undefined {
  const tool = mirrorsParams ? known?.tools.find(({ name }) => name === toolName) : undefined;
  return tool && findParamHeaders(tool.inputSchema).headers;
}

// What is on offer is data and stays as it is; why something is not is a text for people.
function withSafeReasons(listing: ToolListing, redact: (text: string) => string): ToolListing {
  if (listing.dropped.length === 0) return listing;
  const dropped = listing.dropped.map(({ name, reason }) => ({
    ...(name !== undefined && { name: redact(name) }),
    reason: redact(reason),
  }));
  return { ...listing, dropped };
}
