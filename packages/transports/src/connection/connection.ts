import {
  cleanText,
  HostsideError,
  type CallOptions,
  type Connection,
  type JsonObject,
  type LostCall,
  type RemoteTool,
  type RequestOptions,
  type ServerInfo,
  type ToolListing,
  type ListToolsOptions,
} from "@hostside/core";
import {
  clock,
  assertMessage,
  assertRequestOptions,
  createDeadline,
  formatMs,
  untilAborted,
} from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { findLostTask } from "./tasks.ts";
import { callTool, isHeaderMismatch, resumeCall, type CallToolInit, type ToolCallRequest } from "./call-tool.ts";
import { Cooldown } from "./cooldown.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { Liveness } from "./liveness.ts";
import { requestInRounds } from "./request-in-rounds.ts";
import { listTools } from "./list-tools.ts";
import { findParamHeaders, mirrorParams, type ParamHeader } from "./param-headers.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import type { ResourceSubscriptions } from "./resource-subscriptions.ts";

/** What a {@linkcode Connection} is made from. */
export interface ConnectionInit {
  readonly context: ServerContext;
  readonly server: ServerInfo;
  readonly channel: RequestChannel;
  /**
   * Of a server that has not been heard of yet: the tools that it had, and whether that is still
   * so.
   */
  readonly known?: { readonly tools: readonly RemoteTool[]; readonly isAssumed: () => boolean } | undefined;
  /** Over 2026-07-28 on HTTP, arguments can be mirrored in headers. */
  readonly mirrorsParams: boolean;
  readonly elicitor: Elicitor | undefined;
  readonly resources: ResourceSubscriptions;
  /** Whether servers may make tasks of calls. */
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
  const { context, server, channel, tasks, mirrorsParams } = init;
  const calling = new ConnectionCalls(init);
  const list = async (options: ListToolsOptions): Promise<ToolListing> => {
    const found = new Map<string, readonly ParamHeader[]>();
    const listing = await listTools(
      {
        context,
        server,
        channel,
        ...(mirrorsParams && {
          findFault({ name, inputSchema }) {
            const { headers, fault } = findParamHeaders(inputSchema);
            if (headers !== undefined && headers.length > 0) found.set(name, headers);
            return fault;
          },
        }),
      },
      options,
    );
    calling.paramHeaders = found;
    return withSafeReasons(listing, context.redact);
  };
  const call = (request: ToolCallRequest): Promise<JsonObject> => callTool(calling, request);
  return withState(init, {
    server,
    listTools: (options = {}) => list(options),
    callTool(toolName, args, options = {}) {
      const request = { toolName, args, options };
      return mirrorsParams ? callWithHeaders(request, { call, list, context }) : call(request);
    },
    ...(calling.isModern &&
      tasks && {
        lostCall: findLostTask,
        resumeCall: (lost: LostCall, options: CallOptions = {}) => resumeCall(calling, lost, options),
      }),
    request: (method, params = {}, options = {}) => sendRequest(calling, { method, params, options }),
    notify: (method, params) => notify(init, method, params),
    async subscribeResource(uri, options = {}) {
      assertRequestOptions(options);
      return init.resources.subscribe(uri, options);
    },
    close(reason = closedByHost) {
      if (typeof reason !== "string") throw new TypeError("close(): its reason must be a text");
      const error = closedError(context, reason);
      init.onClose();
      calling.end(error);
      return channel.close(error, reason);
    },
  });
}

interface HeaderCalls {
  readonly call: (request: ToolCallRequest) => Promise<JsonObject>;
  readonly list: (options: ListToolsOptions) => Promise<ToolListing>;
  readonly context: ServerContext;
}

/**
 * Calls a tool whose arguments may travel in headers. A server that misses one refuses the call
 * before it runs, so that it is sent once more by what another listing says.
 */
async function callWithHeaders(request: ToolCallRequest, { call, list, context }: HeaderCalls): Promise<JsonObject> {
  const { settings } = context;
  const startedAt = clock.now();
  try {
    return await call(request);
  } catch (error) {
    if (!isHeaderMismatch(error)) throw error;
    const { timeoutMs = settings.timeouts.callMs, signal } = request.options;
    const leftMs = (): number => timeoutMs - (clock.now() - startedAt);
    if (leftMs() <= 0 || signal?.aborted === true) throw error;
    try {
      await list({ signal, timeoutMs: leftMs() });
    } catch {
      // The refusal says more than why it could not be mended.
      throw error;
    }
    if (leftMs() <= 0) throw error;
    return call({ ...request, options: { ...request.options, timeoutMs: leftMs() } });
  }
}

// What the calls of one connection go by. A class, because each connection has one.
class ConnectionCalls implements CallToolInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  readonly elicitor: Elicitor | undefined;
  readonly tasks: boolean;
  readonly isModern: boolean;
  readonly onToolsChanged: () => void;
  readonly cooldown: Cooldown;
  readonly liveness: Liveness;
  readonly closing: AbortController = new AbortController();
  wasLost = false;
  readonly #init: ConnectionInit;
  /** Of the tools that were listed over this connection. */
  paramHeaders: Pick<ReadonlyMap<string, readonly ParamHeader[]>, "get"> | undefined;

  constructor(init: ConnectionInit) {
    const { context, server, channel, elicitor, tasks, onToolsChanged, onDead } = init;
    this.context = context;
    this.channel = channel;
    this.elicitor = elicitor;
    this.tasks = tasks;
    this.isModern = server.era === "modern";
    this.onToolsChanged = onToolsChanged;
    this.cooldown = new Cooldown(context);
    this.liveness = new Liveness({ context, channel, isModern: this.isModern, onDead });
    this.#init = init;
  }

  headersFor(toolName: string, args: JsonObject): Readonly<Record<string, string>> | undefined {
    const listed = this.paramHeaders;
    const declared = listed === undefined ? knownHeaders(this.#init, toolName) : listed.get(toolName);
    return declared && mirrorParams(declared, args);
  }

  end(error: HostsideError): void {
    if (!this.closing.signal.aborted) this.wasLost = this.channel.isOpen === false;
    this.closing.abort(error);
  }
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

async function sendRequest(
  calling: CallToolInit,
  {
    method,
    params,
    options,
  }: { readonly method: string; readonly params: JsonObject; readonly options: RequestOptions },
): Promise<JsonObject> {
  assertMessage("request()", method, params);
  assertRequestOptions(options);
  const { signal, context: callContext, observer } = options;
  const { timeoutMs = calling.context.settings.timeouts.requestMs } = options;
  const request = { method, params, timeoutMs, timeoutCode: "request_timeout", signal, callContext, observer } as const;
  return requestInRounds(calling, request);
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
  const deadline = createDeadline({ timeoutMs, onTimeout: () => notTaken(serverId, method, timeoutMs) });
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

function notTaken(serverId: string, method: string, timeoutMs: number): HostsideError {
  return new HostsideError(
    `${method} was not taken by server ${JSON.stringify(serverId)} within ${formatMs(timeoutMs)}`,
    {
      code: "request_timeout",
      serverId,
      details: { operation: method, timeoutMs },
    },
  );
}
