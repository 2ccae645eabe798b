import {
  defaultTimeouts,
  HostsideError,
  type Connection,
  type HostRequest,
  type JsonObject,
  type RequestOptions,
  type JsonValue,
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
} from "@hostside/core/implement";
import { describeServer, type CatalogTool } from "../catalog/define-tool.ts";
import { assertInUse, type Session } from "../link/sessions.ts";
import type { ProviderSettings } from "../api/provider-options.ts";
import type { Registration } from "../servers/registration.ts";

type RequestPipeline = ReturnType<typeof createRequestPipeline>;

/** Sends a call to the queue of its server. */
export type SendCall = (registration: Registration, call: ToolCall) => Promise<ToolOutcome>;

/** A timeout of a server, in milliseconds. */
export type TimeoutMsOf = (serverId: string, name: "callMs" | "requestMs" | "elicitTotalMs") => number;

/** The parts for lending. */
export interface LentConnectionsInit {
  readonly settings: Pick<ProviderSettings, "requestInterceptors" | "requestSeam" | "principal">;
  readonly sendCall: SendCall;
  /**
   * The definition on offer for a remote name. Throws when there is none, or the registration has
   * ended.
   */
  readonly find: (registration: Registration, toolName: string) => CatalogTool;
  readonly timeoutMsOf: TimeoutMsOf;
}

/**
 * The connections that a provider lends to its product. Requests on them go through the layers of
 * the provider, and no call reaches a tool that is not on offer.
 */
export class LentConnections {
  readonly #init: LentConnectionsInit;
  readonly #requests: RequestPipeline;
  readonly #lent = new WeakMap<Session, Connection>();

  constructor(init: LentConnectionsInit) {
    const { settings, timeoutMsOf } = init;
    this.#init = init;
    this.#requests = createRequestPipeline({
      interceptors: settings.requestInterceptors,
      timeoutMsOf: ({ serverId }) => timeoutMsOf(serverId, "requestMs"),
      mostPausedMsOf: ({ serverId }) => timeoutMsOf(serverId, "elicitTotalMs"),
    });
  }

  /** How many requests are with a layer or behind it. */
  get size(): number {
    return this.#requests.size;
  }

  end(...how: Parameters<RequestPipeline["end"]>): void {
    this.#requests.end(...how);
  }

  /** Returns what the product gets of a session. */
  lend(registration: Registration, session: Session): Connection {
    const known = this.#lent.get(session);
    if (known !== undefined) return known;
    const connection = guardConnection({ ...this.#init, requests: this.#requests, registration, session });
    this.#lent.set(session, connection);
    return connection;
  }
}

interface Guarded extends LentConnectionsInit {
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
      const { sendCall, find, registration, settings } = guarded;
      const definition = find(registration, toolName);
      const { origin } = definition;
      const given = { args: readCallArguments(args, origin), options: onBehalfOf(settings.principal, options) };
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
  { registration: { id: serverId }, settings: { requestSeam: seam } }: Guarded,
  { method, options }: GivenRequest,
  send: (meta?: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  if (seam === undefined) return send();
  return seam({ serverId, method, context: options?.context, signal: options?.signal }, send);
}

/** Hands a request or notification to the layers. */
function handOn(
  { requests, registration, session, settings }: Guarded,
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
