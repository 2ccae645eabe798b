import {
  defaultTimeouts,
  HostsideError,
  type CallOptions,
  type Connection,
  type HostRequest,
  type JsonObject,
  type JsonValue,
  type RequestOptions,
  type RequestSeam,
  type Subscription,
  type ToolCall,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import {
  assertCallOptions,
  assertMessage,
  assertRequestOptions,
  assertToolName,
  createRequestPipeline,
  fairnessKeyOf,
  isJsonObject,
  onBehalfOf,
  readCallArguments,
  unknownToolError,
  withErrorContext,
  withoutApproval,
  type AbsentServer,
} from "@hostside/core/implement";
import { qualifiedName } from "@hostside/naming";
import { checkSelection, toolQuarantinedError, toolRemovedError } from "../calls/call-errors.ts";
import { findOffered, findCatalogTool, findQuarantined } from "../catalog/catalog.ts";
import { describeServer, type CatalogTool } from "../catalog/define-tool.ts";
import { assertInUse, type Session } from "../link/sessions.ts";
import type { Registration } from "../servers/registration.ts";
import type { Lend, ProviderContext } from "../servers/server-set.ts";

type RequestPipeline = ReturnType<typeof createRequestPipeline>;

/** Sends a call to the queue of its server. */
type SendCall = (registration: Registration, call: ToolCall) => Promise<ToolOutcome>;

/** The calls of one provider, from a local name to the call queue of a server. */
export interface ProviderCalls {
  readonly call: ToolProvider["call"];
  /** Ends requests that are with a layer. */
  end(error: HostsideError, all?: boolean): void;
  /** Says whether anything is with a layer or the call queue of a server. */
  readonly busy: boolean;
  readonly callTimeoutMs: NonNullable<ToolProvider["callTimeoutMs"]>;
  readonly describeServer: NonNullable<ToolProvider["describeServer"]>;
  /**
   * The connection that the product gets of a session. Requests on it go through the layers of the
   * provider, and no call reaches a tool that is not on offer.
   */
  readonly lend: Lend;
}

const noOptions: CallOptions = Object.freeze({});

/** Leads calls to the call queues of the servers. */
export function createProviderCalls(context: ProviderContext): ProviderCalls {
  const { serverSet, assertOpen, settings, catalog } = context;
  const { requestSeam, principal } = settings;
  const timeoutMsOf = (serverId: string, name: "callMs" | "requestMs" | "elicitTotalMs"): number =>
    serverSet.get(serverId)?.link.spec.timeouts?.[name] ?? defaultTimeouts[name];
  // Also those with a server that was removed meanwhile, which may finish.
  let underWay = 0;
  const sendCall = createSendCall(requestSeam);
  const requests = createRequestPipeline({
    interceptors: settings.requestInterceptors,
    timeoutMsOf: ({ serverId }) => timeoutMsOf(serverId, "requestMs"),
    mostPausedMsOf: ({ serverId }) => timeoutMsOf(serverId, "elicitTotalMs"),
  });
  const lent = new WeakMap<Session, Connection>();
  return {
    end: (error, all) => requests.end(error, all),
    get busy() {
      return underWay + requests.size > 0;
    },
    callTimeoutMs(toolName) {
      const tool = findCatalogTool(catalog.current, toolName);
      return tool && timeoutMsOf(tool.origin.serverId, "callMs");
    },
    describeServer(serverId) {
      const spec = serverSet.get(serverId)?.link.spec;
      return spec && describeServer(spec, catalog.current.servers.get(serverId)?.listing.server);
    },
    lend(registration, session) {
      const connection = lent.get(session) ?? guardConnection({ context, sendCall, requests, registration, session });
      lent.set(session, connection);
      return connection;
    },
    // Async, so that every failure is a rejection, also one that is known at once.
    async call(toolName, args, given = noOptions) {
      assertOpen();
      if (typeof toolName !== "string") throw new TypeError("the name of a tool must be a string");
      if (given !== noOptions) assertCallOptions(given);
      const callOptions = onBehalfOf(principal, given);
      underWay += 1;
      try {
        const definition = findCatalogTool(catalog.current, toolName) ?? throwAbsent(toolName, context);
        const { origin } = definition;
        if (callOptions.selected !== undefined) checkSelection(callOptions.selected, definition);
        const call: ToolCall = { origin, definition, args: readCallArguments(args, origin), options: callOptions };
        const registration = serverSet.get(origin.serverId);
        if (registration === undefined) throw toolRemovedError(origin);
        // To wait here is sooner than to hand on a promise.
        return await sendCall(registration, call);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Puts the seam, if there is one, around every call. */
function createSendCall(seam: RequestSeam | undefined): SendCall {
  if (seam === undefined) return ({ queue }, call) => queue.call(call);
  return ({ queue }, call) => {
    const { context, signal } = call.options;
    const asked = { serverId: call.origin.serverId, method: "tools/call", call, context, signal };
    return seam(asked, (meta) => queue.call(callWithMeta(call, meta)));
  };
}

function callWithMeta(call: ToolCall, meta: JsonObject | undefined): ToolCall {
  if (meta === undefined) return call;
  return { ...call, options: { ...call.options, meta: { ...meta, ...call.options.meta } } };
}

function throwAbsent(toolName: string, context: ProviderContext): never {
  const catalog = context.catalog.current;
  const held = findQuarantined(catalog, toolName);
  if (held !== undefined) throw toolQuarantinedError(held.origin);
  throw unknownToolError(toolName, catalog.definitions, absentServers(context));
}

/**
 * The tool of a remote name that may be called now. Throws when there is none, or the registration
 * has ended.
 */
function findOnOffer(
  registration: Registration,
  toolName: string,
  { catalog: { current: catalog }, assertOpen }: ProviderContext,
): CatalogTool {
  assertOpen();
  const { id } = registration;
  const origin = { serverId: id, toolName, qualifiedName: qualifiedName({ serverId: id, toolName }) };
  const { state } = registration.link;
  if (state.kind === "removed") throw withErrorContext(state.error, { toolName, outcome: "not-sent" });
  const callable = findOffered(catalog, id, toolName);
  if (callable !== undefined) return callable;
  const isHeld = catalog.servers.get(id)?.withheld.get(toolName)?.admission === "quarantine";
  throw isHeld ? toolQuarantinedError(origin) : toolRemovedError(origin);
}

/** Servers whose tools are not on offer now, sorted by id. */
function absentServers({ serverSet, catalog: { current } }: ProviderContext): readonly AbsentServer[] {
  const absent = serverSet.all().filter(({ id }) => !current.servers.has(id));
  return absent.map((registration) => {
    const { id, state, error } = serverSet.showing.status(registration);
    return { id, state, ...(error !== undefined && { code: error.code }) };
  });
}

interface Guarded {
  readonly context: ProviderContext;
  readonly sendCall: SendCall;
  readonly requests: RequestPipeline;
  readonly registration: Registration;
  readonly session: Session;
}

function guardConnection(guarded: Guarded): Connection {
  const { session } = guarded;
  return {
    server: session.connection.server,
    listTools: (options) =>
      ask(guarded, { method: "tools/list", options }, () => session.use((connection) => connection.listTools(options))),
    // The way of every call of the provider, from a remote name instead of a local one.
    async callTool(toolName, args, options = {}) {
      assertToolName("callTool()", toolName);
      assertCallOptions(options);
      const { sendCall, registration, context } = guarded;
      const definition = findOnOffer(registration, toolName, context);
      const { origin } = definition;
      const given = { args: readCallArguments(args, origin), options: onBehalfOf(context.settings.principal, options) };
      const { raw } = await sendCall(registration, { origin, definition, ...given });
      return raw;
    },
    request: (method, params, options) => request(guarded, { method, params, options }),
    notify: (method, params) => notify(guarded, method, params),
    subscribeResource: (uri, options) => subscribe(guarded, uri, options),
    close: (reason) => session.connection.close(reason),
  };
}

interface GivenRequest {
  readonly method: string;
  readonly params?: JsonObject | undefined;
  readonly options?: RequestOptions | undefined;
}

/** Sends a request through the seam. */
function ask<Answer>(
  { registration: { id: serverId }, context: { settings } }: Guarded,
  { method, options }: GivenRequest,
  send: (meta?: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  if (settings.requestSeam === undefined) return send();
  return settings.requestSeam({ serverId, method, context: options?.context, signal: options?.signal }, send);
}

/** Hands a request or notification to the layers. */
function handOn(
  { requests, registration, session, context: { settings } }: Guarded,
  { method, params, options = {}, isNotification = false }: GivenRequest & { readonly isNotification?: boolean },
  send: (handed: HostRequest) => Promise<JsonValue>,
): Promise<JsonValue> {
  assertInUse(session);
  assertMessage(isNotification ? "notify()" : "request()", method, params);
  assertRequestOptions(options);
  const given = onBehalfOf(settings.principal, options);
  return requests.run({ ...addressOf(registration), method, params, isNotification, options: given }, send);
}

async function request(guarded: Guarded, given: GivenRequest): ReturnType<Connection["request"]> {
  const { registration, session } = guarded;
  if (given.method === "tools/call") throw new TypeError("request(): tools are called by callTool()");
  return handOn(guarded, given, async (handed) => {
    const { deadline, context } = handed.options;
    const leave = deadline && registration.queue.pausable.add(deadline, fairnessKeyOf(context));
    try {
      return await ask(guarded, handed, (meta) =>
        session.use((connection) =>
          connection.request(given.method, withMeta(handed.params, meta), wireOptions(handed.options, registration)),
        ),
      );
    } finally {
      leave?.();
    }
  });
}

async function notify(guarded: Guarded, method: string, params?: JsonObject): Promise<void> {
  await handOn(guarded, { method, params, isNotification: true }, async (handed) => {
    await guarded.session.use((connection) => connection.notify(method, handed.params));
    return null;
  });
}

/**
 * In both eras a request to subscribe, as far as layers are concerned; what they say of its URI
 * counts. One subscription comes of it, and none when it fails: of what layers sent more than once,
 * and of what comes too late, nothing is left.
 */
async function subscribe(guarded: Guarded, uri: string, options?: RequestOptions): Promise<Subscription> {
  const { registration, session } = guarded;
  const made: Subscription[] = [];
  let isOver = false;
  try {
    await handOn(guarded, { method: "resources/subscribe", params: { uri }, options }, async (handed) => {
      const { uri: wanted, _meta: meta } = handed.params ?? {};
      const observer = isJsonObject(meta) ? { ...handed.options.observer, meta: () => meta } : handed.options.observer;
      const wire = wireOptions({ ...handed.options, observer }, registration);
      const wantedUri = typeof wanted === "string" ? wanted : uri;
      made.push(await session.use((connection) => connection.subscribeResource(wantedUri, wire)));
      if (isOver) endAll(made);
      return {};
    });
  } catch (reason) {
    endAll(made);
    throw reason;
  } finally {
    isOver = true;
  }
  const kept = made.pop();
  endAll(made);
  if (kept !== undefined) return kept;
  throw new HostsideError("a layer answered a subscription in the place of its server", {
    code: "internal_error",
    serverId: registration.id,
    outcome: "not-sent",
  });
}

function endAll(subscriptions: Subscription[]): void {
  for (const end of subscriptions.splice(0)) end();
}

function withMeta(params: JsonObject | undefined, meta: JsonObject | undefined): JsonObject | undefined {
  if (meta === undefined) return params;
  const own = params?.["_meta"];
  return { ...params, _meta: { ...meta, ...(isJsonObject(own) && own) } };
}

function addressOf({ id, link, shownListing }: Registration): Pick<HostRequest, "serverId" | "server"> {
  return { serverId: id, server: describeServer(link.spec, shownListing?.server) };
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
