import type { ServerSpec, Connection, ServerPeer } from "@hostside/core";
import { serverTypeOf, type ConnectionHooks, type KnownServer } from "@hostside/core/implement";
import { toHostsideError } from "../errors/to-hostside-error.ts";
import { hasSession, type LinkEvent, type LinkState } from "./link-state.ts";

type Reported =
  | "onDiagnostic"
  | "onLog"
  | "onResourcesChanged"
  | "onPromptsChanged"
  | "onResourceUpdated"
  | "onNotification";

/** What the connections of a link tell, and ask, that concerns no link. */
export interface NewsHooks extends Required<Pick<ConnectionHooks, Reported | "isInteractive">> {
  readonly principal: ConnectionHooks["principal"];
  readonly onElicit: ConnectionHooks["onElicit"];
}

/** What the hooks of one session are made from. */
export interface ConnectionHooksInit {
  /** The number of the session. */
  readonly session: number;
  readonly spec: ServerSpec;
  readonly link: { readonly state: LinkState; report(event: LinkEvent): void };
  readonly hooks: NewsHooks;
  readonly known: KnownServer | undefined;
}

/**
 * Makes the hooks of one session. News is passed on from the session that is in use, and from no
 * other: what is said of an earlier one is no news any more.
 */
export function createConnectionHooks({ session, spec, link, hooks, known }: ConnectionHooksInit): ConnectionHooks {
  const { principal } = hooks;
  const { id, elicitation } = spec;
  const onElicit = elicitation === false ? undefined : hooks.onElicit;
  const isInUse = (): boolean => hasSession(link.state) && link.state.session === session;
  return {
    onToolsChanged: () => link.report({ type: "tools-changed", session }),
    onDown: (error) => link.report({ type: "session-lost", session, error }),
    onQueued: () => link.report({ type: "turn", session, waits: true }),
    onStart: () => link.report({ type: "turn", session, waits: false }),
    onFailed: (error) => link.report({ type: "connect-failed", session, error: toHostsideError(error, id, "connect") }),
    onResourcesChanged() {
      if (isInUse()) hooks.onResourcesChanged();
    },
    onPromptsChanged() {
      if (isInUse()) hooks.onPromptsChanged();
    },
    onResourceUpdated(uri) {
      if (isInUse()) hooks.onResourceUpdated(uri);
    },
    onNotification(notification) {
      if (isInUse()) hooks.onNotification(notification);
    },
    onDiagnostic: (diagnostic) => hooks.onDiagnostic(diagnostic),
    onLog: (log) => hooks.onLog(log),
    isInteractive: () => hooks.isInteractive(),
    ...(principal !== undefined && { principal }),
    ...(known && { known: { server: known.server, tools: known.tools } }),
    ...(onElicit && { onElicit }),
  };
}

const schemePorts: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

/** How a server is spoken with, for records; `connection` is absent where nobody answered. */
export function describePeer(
  spec: ServerSpec,
  session: number,
  connection?: Pick<Connection, "server" | "sessionId">,
): ServerPeer {
  const { era, protocolVersion, httpMode } = connection?.server ?? {};
  const peer = {
    transport: serverTypeOf(spec),
    ...(era !== undefined && { era }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(httpMode !== undefined && { httpMode }),
    ...addressOf(spec),
    session,
  };
  return Object.freeze(Object.assign(new Described(connection), peer));
}

/**
 * Holds the connection, of which it says the session's id alone. That is a secret, which nobody who
 * lists or copies members may come by, and a private member is seen by nobody; a class, because its
 * getter stands once for all peers, which are then no tables to the engine.
 */
class Described {
  readonly #connection: Pick<Connection, "sessionId"> | undefined;

  constructor(connection: Pick<Connection, "sessionId"> | undefined) {
    this.#connection = connection;
  }

  get sessionId(): string | undefined {
    // What inherits from a peer has none.
    return #connection in this ? this.#connection?.sessionId : undefined;
  }
}

// Peers are plain data to whoever asks for their class, as libraries do, and nobody changes them
// for all others.
Object.defineProperty(Described.prototype, "constructor", { value: Object });
Object.freeze(Described.prototype);

function addressOf({ url }: ServerSpec): Pick<ServerPeer, "address" | "port"> {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const known = port === "" ? schemePorts.get(protocol) : Number(port);
  return { address: hostname.replace(/^\[|\]$/g, ""), ...(known !== undefined && { port: known }) };
}
