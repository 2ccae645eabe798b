import {
  cleanText,
  ToolportError,
  type CallOptions,
  type Connection,
  type JsonObject,
  type LostCall,
  type RemoteTool,
  type RequestOptions,
  type ServerInfo,
  type ToolListing,
} from "@toolport/core";
import {
  assertMessage,
  assertRequestOptions,
  createDeadline,
  createLazyMap,
  createLazySignal,
  formatMs,
  untilAborted,
} from "@toolport/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { findLostTask } from "./await-task.ts";
import { callTool, resumeCall, type CallToolInit } from "./call-tool.ts";
import { createCooldown } from "./cooldown.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { createLiveness } from "./liveness.ts";
import type { TaskHandling } from "../message/client-identity.ts";
import { requestInRounds } from "./request-in-rounds.ts";
import { listTools } from "./list-tools.ts";
import { createTasksOnly } from "./tasks-only.ts";
import { findParamHeaders, mirrorParams, type ParamHeader } from "./param-headers.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import type { ResourceSubscriptions } from "./resource-subscriptions.ts";

/** What a {@linkcode Connection} is made from. */
export interface ConnectionInit {
  readonly context: ServerContext;
  readonly server: ServerInfo;
  readonly channel: RequestChannel;
  /** Of a server that has not been heard of yet: the tools that it had, and whether that is still so. */
  readonly known?: { readonly tools: readonly RemoteTool[]; readonly isAssumed: () => boolean } | undefined;
  /** Over 2026-07-28 on HTTP, arguments can be mirrored in headers. */
  readonly mirrorsParams: boolean;
  readonly elicitor: Elicitor | undefined;
  readonly resources: ResourceSubscriptions;
  readonly tasks: TaskHandling | undefined;
  readonly onToolsChanged: () => void;
  /** The server answers nothing any more; who made the connection ends it. */
  readonly onDead: (error: ToolportError) => void;
  /** Called first thing by `close()`: from then on no hook is. */
  readonly onClose: () => void;
}

const closedByHost = "closed by the host";

/** The contract of core over a channel whose handshake is done. */
export function createConnection(init: ConnectionInit): Connection {
  const { context, server, channel, elicitor, tasks, mirrorsParams, onToolsChanged, onDead, onClose } = init;
  const closing = createLazySignal();
  // Of what was listed over this connection.
  let paramHeaders: Pick<ReadonlyMap<string, readonly ParamHeader[]>, "get"> | undefined;
  let wasLost = false;
  const inTasksOnly = createTasksOnly(init);

  const headersFor = (toolName: string, args: JsonObject): Readonly<Record<string, string>> | undefined => {
    const declared = paramHeaders === undefined ? knownHeaders(init, toolName) : paramHeaders.get(toolName);
    return declared && mirrorParams(declared, args);
  };
  const calling: CallToolInit = {
    context,
    channel,
    elicitor,
    tasks,
    needsTask: (toolName) => inTasksOnly.has(toolName),
    isModern: server.era === "modern",
    headersFor,
    onToolsChanged,
    cooldown: createCooldown(context),
    liveness: createLiveness({ context, channel, isModern: server.era === "modern", onDead }),
    closing,
    wasLost: () => wasLost,
  };

  return withState(init, {
    server,
    async listTools(options = {}) {
      const found = createLazyMap<string, readonly ParamHeader[]>();
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
      paramHeaders = found;
      inTasksOnly.learn(listing);
      return withSafeReasons(listing, context.redact);
    },
    callTool: (toolName, args, options = {}) => callTool(calling, { toolName, args, options }),
    ...(calling.isModern &&
      tasks === "await" && {
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
      onClose();
      if (!closing.aborted) wasLost = channel.isOpen === false;
      closing.abort(error);
      return channel.close(error, reason);
    },
  });
}

const state: unique symbol = Symbol("state");

// One pair of getters for all connections: of an object literal that has its own the engine makes a table, ten times as large. Own members, so that a copy has what they say.
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
  return calling.isModern ? requestInRounds(calling, request) : calling.channel.request(request);
}

function closedError({ serverId, redact }: ServerContext, reason: string): ToolportError {
  const why = reason === closedByHost ? "" : `: ${cleanText(redact(reason), 200)}`;
  const message = `the connection to server ${JSON.stringify(serverId)} was closed${why}`;
  return new ToolportError(message, { code: "closed", serverId, outcome: "unknown" });
}

async function notify(
  { context, channel }: ConnectionInit,
  method: string,
  params: JsonObject | undefined,
): Promise<void> {
  assertMessage("notify()", method, params);
  const { serverId, settings, clock } = context;
  const timeoutMs = settings.timeouts.requestMs;
  const deadline = createDeadline({ timeoutMs, clock, onTimeout: () => notTaken(serverId, method, timeoutMs) });
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

function notTaken(serverId: string, method: string, timeoutMs: number): ToolportError {
  return new ToolportError(
    `${method} was not taken by server ${JSON.stringify(serverId)} within ${formatMs(timeoutMs)}`,
    {
      code: "request_timeout",
      serverId,
      details: { operation: method, timeoutMs },
    },
  );
}
