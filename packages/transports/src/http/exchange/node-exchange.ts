import { isToolportError, type ToolportError } from "@toolport/core";
import { systemClock } from "@toolport/core/implement";
import type { Connection, WireRequest } from "../sockets/connection.ts";
import { createConnections, type Connections } from "../sockets/connections.ts";
import { refusedByProxy } from "../sockets/open-tunnel.ts";
import { createProxyChoice, type Proxy, type ProxyChoice } from "../sockets/proxy-choice.ts";
import { connectTimedOut, fromFetchError, switchesProtocol } from "./from-fetch-error.ts";
import { isUpgrade } from "../sockets/wire-error.ts";
import { asksForAddresses, guardLookup, type LookupAll } from "./guarded-lookup.ts";
import { addressIn, type HttpGuard } from "./http-guard.ts";
import type { HttpCall, HttpExchange, HttpExchangeInit, HttpReply, HttpRequest } from "./http-exchange.ts";
import type { BodyContext } from "./node-body.ts";
import { createNodeReply, type NodeReply } from "./node-reply.ts";
import { proxyFailed, unsupportedProxy } from "./proxy-failure.ts";
import { toWireRequest } from "./to-wire-request.ts";

// Servers commonly close an idle connection after 5 s. A request that crosses such a close is lost with an unknown outcome, so we
// let go first.
const idleConnectionMs = 4000;

/** What Node's exchange is made from. */
export interface NodeExchangeInit extends HttpExchangeInit {
  /** How a guarded connection finds addresses, for tests. Default: the system's way. */
  readonly lookup?: LookupAll | undefined;
}

/** The exchange of Node: HTTP/1.1 on kept-alive connections, without the fixed time limits of Node's `fetch`. */
export function createDefaultExchange(init: NodeExchangeInit): HttpExchange {
  const { proxy = false, ca = [] } = init;
  const connections = createConnections({ idleMs: idleConnectionMs, ca });
  const decoding = new Set<() => void>();
  const parts: ExchangeParts = { ...init, connections, decoding, proxyFor: createProxyChoice(proxy) };
  return {
    start: (request) => startCall(request, parts),
    close() {
      connections.close();
      // A body that has arrived has no connection any more, and may still have gigabytes in it.
      for (const stop of decoding) stop();
    },
  };
}

/** What the calls of an exchange share. */
interface ExchangeParts extends NodeExchangeInit {
  readonly connections: Connections;
  readonly proxyFor: ProxyChoice;
  /** Stops each body that is being decoded. */
  readonly decoding: Set<() => void>;
}

/** What the parts of one call tell each other. */
interface CallState extends BodyContext {
  readonly wire: WireRequest;
  readonly proxy: Proxy | undefined;
  /** Whether bytes of the request may have left. */
  sent: boolean;
  received: NodeReply | undefined;
  /** Gives up what is under way before the reply. */
  giveUp: () => void;
  readonly resolve: (reply: HttpReply) => void;
  readonly reject: (reason: unknown) => void;
  readonly cancel: (reason: ToolportError) => void;
}

function startCall(request: HttpRequest, parts: ExchangeParts): HttpCall {
  const { url } = request;
  const { serverId, redact, guard, decoding, clock, maxMessageBytes } = parts;
  const failed = { serverId, url, redact };
  let state: CallState | undefined;
  let cancelled: ToolportError | undefined;
  let reject: (reason: unknown) => void;
  const toError = (error: unknown): ToolportError =>
    // Of ours is what a guard refused an address with.
    cancelled ?? (isToolportError(error) ? error : fromFetchError(error, { ...failed, sent: state?.sent ?? false }));
  const cancel = (reason: ToolportError): void => {
    cancelled ??= reason;
    if (state?.received !== undefined) return state.received.stop(reason);
    reject(reason);
    state?.giveUp();
  };
  const reply = new Promise<HttpReply>((resolve, rejectReply) => {
    reject = rejectReply;
    const proxy = parts.proxyFor(url);
    if (proxy === "unsupported") return reject(unsupportedProxy(failed));
    const refusal = guard && refuseRequest(url, guard, proxy);
    if (refusal !== undefined) return reject(refusal);
    try {
      const wire = toWireRequest(request, proxy);
      const body = { failed, toError, decoding, clock, maxMessageBytes };
      const more = { wire, proxy, sent: false, received: undefined, giveUp: ignore, resolve, reject, cancel };
      state = { ...body, ...more };
      const idle = parts.connections.takeIdle(url);
      if (idle === undefined) openConnection(state, parts);
      else send(idle, state, parts);
    } catch (error) {
      reject(toError(error));
    }
  });
  return { reply, cancel };
}

function refuseRequest(url: URL, guard: HttpGuard, proxy: Proxy | undefined): ToolportError | undefined {
  const isUnknown = (proxy !== undefined || !asksForAddresses()) && addressIn(url) === undefined;
  return guard.refuseUrl(url) ?? (isUnknown ? guard.refuseAddress(undefined, url) : undefined);
}

function send(connection: Connection, state: CallState, parts: ExchangeParts): void {
  const { wire, proxy, failed, toError } = state;
  state.giveUp = () => connection.destroy();
  connection.send(wire, {
    onSending: () => void (state.sent = true),
    onHead(head) {
      if (head.status === 407 && proxy !== undefined && failed.url.protocol === "http:") {
        state.cancel(proxyFailed({ ...failed, proxy }, refusedByProxy(head.status)));
        return;
      }
      state.received = createNodeReply({ head, connection, context: state });
      state.resolve(state.received.reply);
    },
    onBody: (bytes) => state.received?.onBody(bytes),
    onEnd: () => state.received?.onEnd(),
    onError(error) {
      if (state.received !== undefined) state.received.onError(error);
      else if (isUpgrade(error)) state.cancel(switchesProtocol(failed));
      else if (state.sent) state.reject(toError(error));
      // It had been closed before anything was sent.
      else openConnection(state, parts);
    },
  });
}

/** Opens a connection within its time, and sends the request. */
function openConnection(state: CallState, parts: ExchangeParts): void {
  const { failed, proxy, toError } = state;
  const { serverId, url } = failed;
  const { guard, lookup, connections, connectTimeoutMs = 15_000, clock = systemClock } = parts;
  const opening = connections.open(
    // Of a connection that is open already, the address was checked when it was made.
    { url, proxy, lookup: guard && guardLookup(url, guard, lookup) },
    {
      onReady(connection) {
        cancelTimer();
        send(connection, state, parts);
      },
      onError(error, isProxys) {
        cancelTimer();
        const isOfProxy = isProxys && proxy !== undefined;
        state.reject(isOfProxy ? proxyFailed({ serverId, url, proxy }, error) : toError(error));
      },
    },
  );
  const late = (): void => state.cancel(connectTimedOut({ ...failed, proxy }, connectTimeoutMs));
  const cancelTimer = clock.schedule(connectTimeoutMs, late);
  state.giveUp = () => {
    cancelTimer();
    opening.cancel();
  };
}

function ignore(): void {
  // Nothing is under way.
}
