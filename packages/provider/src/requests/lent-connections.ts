import {
  defaultTimeouts,
  HostsideError,
  type CallOptions,
  type Connection,
  type HostRequest,
  type JsonObject,
  type RequestOptions,
  type RequestSeam,
  type ServerSpec,
  type Subscription,
  type ToolCall,
  type ToolOutcome,
} from "@hostside/core";
import {
  assertCallOptions,
  assertMessage,
  assertRequestOptions,
  assertToolName,
  createRequestPipeline,
  isJsonObject,
  fairnessKeyOf,
  readCallArguments,
  withoutApproval,
  onBehalfOf,
  type CallPipeline,
  type RequestPipeline,
} from "@hostside/core/implement";
import { describeServer, type CatalogTool } from "../catalog/define-tool.ts";
import { assertInUse, type Session } from "../link/sessions.ts";
import type { ProviderSettings } from "../api/provider-options.ts";
import type { Registration } from "../servers/registration.ts";
import type { HandCall } from "../calls/pending-call.ts";

/** Sends a call to the queue of its server. */
export type SendCall = (registration: Registration, call: ToolCall, hand?: HandCall) => Promise<ToolOutcome>;

/** Puts the seam, if there is one, around every call. */
export function createSendCall(seam: RequestSeam | undefined): SendCall {
  if (seam === undefined) return ({ queue }, call, hand) => queue.call(call, hand);
  return ({ queue }, call, hand) => {
    const { context, signal } = call.options;
    const asked = { serverId: call.origin.serverId, method: "tools/call", call, context, signal };
    return seam(asked, (meta) => queue.call(callWithMeta(call, meta), hand));
  };
}

function callWithMeta(call: ToolCall, meta: JsonObject | undefined): ToolCall {
  if (meta === undefined) return call;
  return { ...call, options: { ...call.options, meta: { ...meta, ...call.options.meta } } };
}

/**
 * The connections that a provider lends to its product, with its layers around what is sent on
 * them.
 */
export interface LentConnections {
  /** What the product gets of a session. */
  lend(registration: Registration, session: Session): Connection;
  readonly end: RequestPipeline["end"];
  /** How many requests are with a layer or behind it. */
  readonly size: number;
}

/** What guarding needs. */
export interface LentConnectionsInit {
  readonly settings: Pick<
    ProviderSettings,
    "admit" | "interceptors" | "requestInterceptors" | "requestSeam" | "clock" | "principal"
  >;
  readonly calls: CallPipeline;
  readonly sendCall: SendCall;
  /**
   * The definition on offer for a remote name. Throws when there is none, or the registration has
   * ended.
   */
  readonly find: (registration: Registration, toolName: string) => CatalogTool;
  readonly specOf: (serverId: string) => ServerSpec | undefined;
}

interface Guarded extends Omit<LentConnectionsInit, "settings" | "specOf"> {
  readonly registration: Registration;
  readonly session: Session;
  readonly lent: Connection;
  readonly requests: RequestPipeline;
  readonly principal: string | undefined;
  readonly seam: RequestSeam | undefined;
}

/**
 * Guards connections: what the product sends on one goes through the layers that it put around
 * calls and requests, and reaches no tool that is not on offer. Without layers, seam and a rule for
 * what is on offer, a connection is lent as it is, but for its principal.
 */
export function createLentConnections({
  settings,
  calls,
  sendCall,
  find,
  specOf,
}: LentConnectionsInit): LentConnections {
  const { admit, interceptors, requestInterceptors, requestSeam: seam, clock, principal } = settings;
  const hasLayers = interceptors.length + requestInterceptors.length > 0 || seam !== undefined;
  if (admit === undefined && !hasLayers) {
    return { lend: lendWithoutLayers(principal), end: () => {}, size: 0 };
  }
  const requests = createRequestPipeline({
    interceptors: requestInterceptors,
    clock,
    timeoutMsOf: ({ serverId }) => specOf(serverId)?.timeouts?.requestMs ?? defaultTimeouts.requestMs,
    mostPausedMsOf: ({ serverId }) => specOf(serverId)?.timeouts?.elicitTotalMs ?? defaultTimeouts.elicitTotalMs,
  });
  const guarded = new WeakMap<Session, Connection>();
  return {
    lend(registration, session) {
      const known = guarded.get(session);
      if (known !== undefined) return known;
      const connection = guardConnection({
        calls,
        sendCall,
        find,
        registration,
        requests,
        session,
        lent: session.lent,
        principal,
        seam,
      });
      guarded.set(session, connection);
      return connection;
    },
    end: (error, all) => requests.end(error, all),
    get size() {
      return requests.size;
    },
  };
}

function lendWithoutLayers(principal: string | undefined): LentConnections["lend"] {
  if (principal === undefined) return (_, { lent }) => lent;
  const known = new WeakMap<Session, Connection>();
  return (_, session) => {
    const connection = known.get(session) ?? lendOnBehalfOf(principal, session.lent);
    known.set(session, connection);
    return connection;
  };
}

function guardConnection(guarded: Guarded): Connection {
  const { lent } = guarded;
  return {
    server: lent.server,
    listTools: (options) => ask(guarded, { method: "tools/list", options }, () => lent.listTools(options)),
    callTool: (toolName, args, options) => callTool(guarded, { toolName, args, options }),
    request: (method, params, options) =>
      method === "tools/call" ? requestCall(guarded, params, options) : request(guarded, { method, params, options }),
    notify: (method, params) => notify(guarded, method, params),
    subscribeResource: (uri, options) => subscribe(guarded, uri, options),
    close: (reason) => lent.close(reason),
  };
}

interface GivenCall {
  readonly toolName: string;
  readonly args: unknown;
  readonly options: CallOptions | undefined;
}

/** The way of every call of the provider, from a remote name instead of a local one. */
async function callTool(guarded: Guarded, { toolName, args, options = {} }: GivenCall): Promise<JsonObject> {
  assertToolName("callTool()", toolName);
  assertCallOptions(options);
  const { calls, sendCall, find, registration, principal } = guarded;
  const definition = find(registration, toolName);
  const call = readCall(registration, { definition, args, options: onBehalfOf(principal, options) });
  let sent: ToolOutcome | undefined;
  const outcome = await calls.run(call, async (handed) => (sent = await sendCall(registration, handed)));
  return rawOf(outcome, sent);
}

/**
 * A call that has more to say than {@linkcode Connection.callTool} has words for, such as one that
 * is to become a task.
 */
async function requestCall(
  { calls, sendCall, find, registration, principal }: Guarded,
  params: JsonObject = {},
  options: RequestOptions = {},
): Promise<JsonObject> {
  assertMessage("request()", "tools/call", params);
  assertRequestOptions(options);
  const { name, arguments: args, _meta: meta, ...rest } = params;
  const definition = find(registration, typeof name === "string" ? name : "");
  const withMeta: CallOptions = { ...onBehalfOf(principal, options), ...(isJsonObject(meta) && { meta }) };
  const call = readCall(registration, { definition, args, options: withMeta });
  const hand: HandCall = async (connection, { origin, args: given }, wire) => {
    const handed = { ...rest, name: origin.toolName, arguments: given, ...(wire.meta && { _meta: wire.meta }) };
    // A request has no other options.
    const { timeoutMs, signal, context, observer } = wire;
    const raw = await connection.request("tools/call", handed, { timeoutMs, signal, context, observer });
    return isJsonObject(raw) ? raw : {};
  };
  let sent: ToolOutcome | undefined;
  const outcome = await calls.run(call, async (handed) => (sent = await sendCall(registration, handed, hand)));
  return rawOf(outcome, sent);
}

interface GivenRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions | undefined;
}

/** Sends a request through the seam. */
function ask<Answer>(
  { registration: { id: serverId }, seam }: Guarded,
  { method, options }: { readonly method: string; readonly options: RequestOptions | undefined },
  send: (meta?: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  if (seam === undefined) return send();
  return seam({ serverId, method, context: options?.context, signal: options?.signal }, send);
}

async function request(
  guarded: Guarded,
  { method, params, options: given = {} }: GivenRequest,
): ReturnType<Connection["request"]> {
  const { requests, registration, session, lent, principal } = guarded;
  assertInUse(session);
  assertMessage("request()", method, params);
  assertRequestOptions(given);
  const options = onBehalfOf(principal, given);
  const asked: HostRequest = { ...addressOf(registration), method, params, isNotification: false, options };
  return await requests.run(asked, (handed) => {
    return whilePausable(registration, handed.options, () =>
      ask(guarded, handed, (meta) =>
        lent.request(method, withMeta(handed.params, meta), wireOptions(handed.options, registration)),
      ),
    );
  });
}

async function notify(
  { requests, registration, session, lent, principal }: Guarded,
  method: string,
  params?: JsonObject,
): Promise<void> {
  assertInUse(session);
  assertMessage("notify()", method, params);
  const options = onBehalfOf(principal, {});
  const given: HostRequest = { ...addressOf(registration), method, params, isNotification: true, options };
  await requests.run(given, async (handed) => {
    await lent.notify(method, handed.params);
    return null;
  });
}

/**
 * In both eras a request to subscribe, as far as layers are concerned; what they say of its URI
 * counts. One subscription comes of it, and none when it fails: of what layers sent more than once,
 * and of what comes too late, nothing is left.
 */
async function subscribe(
  { requests, registration, session, lent, principal }: Guarded,
  uri: string,
  given: RequestOptions = {},
): Promise<Subscription> {
  assertInUse(session);
  assertRequestOptions(given);
  const params = { uri };
  const method = "resources/subscribe";
  const options = onBehalfOf(principal, given);
  const asked: HostRequest = { ...addressOf(registration), method, params, isNotification: false, options };
  const { keep, take } = createKeeper();
  try {
    await requests.run(asked, async (handed) => {
      const wanted = handed.params?.["uri"];
      const meta = handed.params?.["_meta"];
      const observer = isJsonObject(meta) ? { ...handed.options.observer, meta: () => meta } : handed.options.observer;
      const wire = wireOptions({ ...handed.options, observer }, registration);
      keep(await lent.subscribeResource(typeof wanted === "string" ? wanted : uri, wire));
      return {};
    });
  } catch (reason) {
    take()?.();
    throw reason;
  }
  const subscription = take();
  if (subscription !== undefined) return subscription;
  throw new HostsideError("a layer answered a subscription in the place of its server", {
    code: "internal_error",
    serverId: registration.id,
    outcome: "not-sent",
  });
}

function withMeta(params: JsonObject | undefined, meta: JsonObject | undefined): JsonObject | undefined {
  if (meta === undefined) return params;
  const own = params?.["_meta"];
  return { ...params, _meta: { ...meta, ...(isJsonObject(own) && own) } };
}

/**
 * Keeps the latest of the subscriptions that it is given until it is taken; ends all others, and
 * those that come later.
 */
function createKeeper(): {
  readonly keep: (made: Subscription) => void;
  readonly take: () => Subscription | undefined;
} {
  let kept: Subscription | undefined;
  let isTaken = false;
  return {
    keep(made) {
      if (isTaken) return made();
      kept?.();
      kept = made;
    },
    take() {
      isTaken = true;
      return kept;
    },
  };
}

function addressOf({ id, link, listed }: Registration): Pick<HostRequest, "serverId" | "server"> {
  return { serverId: id, server: describeServer(link.spec, listed?.server) };
}

interface ReadCall extends Pick<GivenCall, "args"> {
  readonly definition: CatalogTool;
  readonly options: CallOptions;
}

function readCall({ link, listed }: Registration, { definition, args, options }: ReadCall): ToolCall {
  const { origin } = definition;
  return {
    origin,
    definition,
    server: describeServer(link.spec, listed?.server),
    args: readCallArguments(args, origin),
    options,
  };
}

/**
 * Stops the time of a request with the clocks of its server's calls, while a human answers a
 * question.
 */
async function whilePausable<T>(
  { queue }: Registration,
  { deadline, context }: RequestOptions,
  work: () => Promise<T>,
): Promise<T> {
  const leave = deadline && queue.pausable.add(deadline, fairnessKeyOf(context));
  try {
    return await work();
  } finally {
    leave?.();
  }
}

// What the connection has to know. No request takes longer than the spec of its server says.
function wireOptions(
  { signal, timeoutMs, deadline, context, observer }: RequestOptions,
  { link: { spec } }: Registration,
): RequestOptions {
  const { requestMs = timeoutMs ?? defaultTimeouts.requestMs } = spec.timeouts ?? {};
  const given = timeoutMs ?? requestMs;
  const leftMs = Math.min(given, requestMs, deadline?.remainingMs() ?? Number.POSITIVE_INFINITY);
  return {
    timeoutMs: Math.max(1, leftMs),
    ...(signal !== undefined && { signal }),
    ...(context !== undefined && { context: withoutApproval(context) }),
    ...(observer !== undefined && { observer }),
  };
}

/** The server's result; with what a layer made of it, where one has made something else of it. */
function rawOf(outcome: ToolOutcome, sent: ToolOutcome | undefined): JsonObject {
  if (outcome === sent) return outcome.raw;
  const { content, structuredContent, isError, meta } = outcome;
  const { content: _content, structuredContent: _data, isError: _isError, _meta, ...rest } = { ...outcome.raw };
  return {
    ...rest,
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    isError,
    ...(meta && { _meta: meta }),
  };
}

/**
 * A connection without layers, all of whose calls and requests are on behalf of this principal,
 * unless their context names another one.
 */
function lendOnBehalfOf(principal: string, lent: Connection): Connection {
  return {
    ...lent,
    async callTool(toolName, args, options = {}) {
      assertCallOptions(options);
      return lent.callTool(toolName, args, onBehalfOf(principal, options));
    },
    async request(method, params, options = {}) {
      assertRequestOptions(options);
      return lent.request(method, params, onBehalfOf(principal, options));
    },
    async subscribeResource(uri, options = {}) {
      assertRequestOptions(options);
      return lent.subscribeResource(uri, onBehalfOf(principal, options));
    },
  };
}
