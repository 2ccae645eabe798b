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
  isHostsideError,
} from "@hostside/core";
import {
  clock,
  assertMessage,
  assertRequestOptions,
  createDeadline,
  formatMs,
  sameJson,
  untilAborted,
  assertCallOptions,
  assertToolName,
  isCallArguments,
  readCallArguments,
  withErrorContext,
} from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { requestError, type OutgoingRequest, type RequestChannel } from "../message/outgoing-request.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { listTools } from "./list-tools.ts";
import { findParamHeaders, mirrorParams, type ParamHeader } from "./param-headers.ts";
import { requestInRounds, continueInRounds, sendWithConsent, TimeLeft, type RoundsInit } from "./request-in-rounds.ts";
import type { ResourceSubscriptions } from "./resource-subscriptions.ts";
import { quoteJson } from "../text/safe-excerpt.ts";
import { awaitTask } from "./tasks.ts";

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

/** The input of {@linkcode callTool}. */
export interface CallToolInit extends RoundsInit {
  /** 2026-07-28 marks its results with a type, and asks for input in one. */
  readonly isModern: boolean;
  /** True if servers may make tasks of calls. */
  readonly tasks: boolean;
  readonly cooldown: Cooldown;
  /** The headers that mirror arguments of this tool, if any. */
  headersFor(toolName: string, args: JsonObject): Readonly<Record<string, string>> | undefined;
  /** The listing that the headers were made from is not the server's any more. */
  readonly onToolsChanged: () => void;
  readonly liveness: Pick<Liveness, "answered" | "failed">;
}

const headerMismatch = -32_020;

/**
 * Sends one `tools/call` and resolves with the server's result, unchanged. On 2026-07-28 it also
 * goes through the rounds in which a server asks for input, each with a new request under one
 * common deadline, and waits for a task where the host wants that. Throws `rate_limited`, outcome
 * `not-sent`, for as long as the server asked to be left alone.
 */
export async function callTool(
  init: CallToolInit,
  call: { readonly toolName: string; readonly args: JsonObject; readonly options: CallOptions },
): Promise<JsonObject> {
  const { context, isModern, cooldown } = init;
  const { timeouts } = context.settings;
  const { toolName, options } = call;
  assertToolName("callTool()", toolName);
  assertCallOptions(options);
  // Nothing, or what cannot be sent.
  const args = isCallArguments(call.args)
    ? call.args
    : readCallArguments(call.args, { serverId: context.serverId, toolName, qualifiedName: toolName });
  const { onProgress, meta, context: callContext, timeoutMs = timeouts.callMs, observer } = options;
  const request = {
    method: "tools/call",
    params: meta === undefined ? { name: toolName, arguments: args } : { name: toolName, arguments: args, _meta: meta },
    timeoutMs,
    idleMs: timeouts.callIdleMs,
    timeoutCode: "call_timeout",
    signal: options.signal,
    onProgress,
    headers: init.headersFor(toolName, args),
    callContext,
    observer,
    toolName,
  } as const;
  cooldown.check(request);
  const asking = { request, time: new TimeLeft(context, request), tally: { asked: 0 } };
  let isAnswered = false;
  try {
    let result = await sendWithConsent(init, asking);
    isAnswered = true;
    init.liveness.answered();
    if (isModern && result["resultType"] === "input_required") result = await continueInRounds(init, asking, result);
    if (isModern && result["resultType"] === "task" && init.tasks) result = await awaitTask(init, asking, result);
    const problem = findProblem(result, context.redact);
    if (problem === undefined) return result;
    throw requestError(context, request, {
      what: `was answered ${problem}`,
      code: "protocol_error",
      outcome: "unknown",
    });
  } catch (error) {
    init.liveness.failed(error);
    cooldown.note(error);
    if (isAnswered || !isHeaderMismatch(error)) throw error;
    // Another listing helps, and a later call.
    init.onToolsChanged();
    throw withErrorContext(error, { retryable: true });
  }
}

/**
 * True if the server refused a call whose headers do not mirror what its schema of today declares.
 */
export function isHeaderMismatch(error: unknown): error is HostsideError {
  return isHostsideError(error) && error.details.rpcCode === headerMismatch;
}

// A missing type counts as "complete", as it does from servers of earlier drafts.
function findProblem(result: JsonObject, redact: (text: string) => string): string | undefined {
  const { resultType = "complete", content, structuredContent, toolResult } = result;
  if (resultType !== "complete") return `with a result of the unknown type ${quoteJson(resultType, redact)}`;
  if ((content ?? structuredContent ?? toolResult) !== undefined) return undefined;
  if (content === null || structuredContent === null || toolResult === null) return undefined;
  const others = Object.keys(result).filter((name) => !["resultType", "_meta", "isError"].includes(name));
  return others.length === 0 ? undefined : `with no content, but with ${quoteJson(others.slice(0, 10), redact)}`;
}

/**
 * Leaves a server alone for as long as it asked for when it refused a call (HTTP 429 with
 * `Retry-After`).
 */
export class Cooldown {
  readonly #context: ServerContext;
  #until: number | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  /** Throws `rate_limited`, outcome `not-sent`, for a call that may not go out yet. */
  check(request: OutgoingRequest): void {
    if (this.#until === undefined) return;
    const retryAfterMs = Math.ceil(this.#until - clock.now());
    if (retryAfterMs > 0) {
      throw requestError(this.#context, request, {
        what: `was not sent: the server asked to be left alone for another ${retryAfterMs} ms`,
        code: "rate_limited",
        outcome: "not-sent",
        details: { retryAfterMs },
      });
    }
    this.#until = undefined;
  }

  /** Takes note of what a call failed with. */
  note(error: unknown): void {
    // What was not sent was refused by somebody else, such as an authorization server that has too
    // many renewals to do.
    if (!isHostsideError(error) || error.code !== "rate_limited" || error.outcome === "not-sent") return;
    const { retryAfterMs = 0 } = error.details;
    if (retryAfterMs > 0) this.#until = Math.max(this.#until ?? 0, clock.now() + retryAfterMs);
  }
}

/** The parts of {@linkcode Liveness}. */
interface LivenessInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  /** 2026-07-28 has no `ping`; there, what every server answers is `server/discover`. */
  readonly isModern: boolean;
  /** The server answers nothing any more. Called at most once. */
  readonly onDead: (error: HostsideError) => void;
}

const mostTimeouts = 3;
const longestPingMs = 10_000;

/**
 * After three calls in a row that timed out, asks the server whether it is there at all: a process
 * that was stopped, or is stuck, would let every later call time out as well, though its connection
 * looks as good as ever. Any answer will do, also a refusal.
 */
export class Liveness {
  readonly #init: LivenessInit;
  #timeouts = 0;
  #isAsking = false;

  constructor(init: LivenessInit) {
    this.#init = init;
  }

  /** A call was answered, with whatever. */
  answered(): void {
    this.#timeouts = 0;
  }

  /** A call failed. */
  failed(error: unknown): void {
    if (!isHostsideError(error)) return;
    if (error.outcome === "failed") this.#timeouts = 0;
    if (error.code !== "call_timeout") return;
    this.#timeouts += 1;
    if (this.#timeouts >= mostTimeouts && !this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    const { context, channel, isModern, onDead } = this.#init;
    const { serverId, settings } = context;
    const timeoutMs = Math.min(settings.timeouts.requestMs, longestPingMs);
    this.#isAsking = true;
    const method = isModern ? "server/discover" : "ping";
    try {
      await channel.request({ method, params: {}, timeoutMs, timeoutCode: "request_timeout" });
    } catch (error) {
      // What was answered in the meantime counts; any other failure is an answer, or told by
      // itself.
      const isSilent = isHostsideError(error, "request_timeout") && this.#timeouts >= mostTimeouts;
      if (isSilent) onDead(deadError(serverId, timeoutMs));
    }
    this.#isAsking = false;
    this.#timeouts = 0;
  }
}

function deadError(serverId: string, timeoutMs: number): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} answered none of ${mostTimeouts} calls in a row, and no ping within ${timeoutMs} ms; its session was ended`,
    { code: "connection_closed", serverId },
  );
}
