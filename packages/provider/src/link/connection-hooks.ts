import type { Connection, HostsideError, ServerPeer, ServerSpec } from "@hostside/core";
import { serverTypeOf, type ConnectionHooks, type KnownServer } from "@hostside/core/implement";
import { toHostsideError } from "../errors/to-hostside-error.ts";
import { hasSession, type LinkEvent, type LinkState } from "./link-state.ts";

/** The parts of the hooks of one session. */
export interface ConnectionHooksInit {
  /** The number of the session. */
  readonly session: number;
  readonly spec: ServerSpec;
  readonly link: { readonly state: LinkState; report(event: LinkEvent): void };
  readonly hooks: NewsHooks;
  readonly known: KnownServer | undefined;
}

/** The hooks of connections that concern no link. */
export interface NewsHooks {
  /** Makes the hooks of a connection. News counts only while its session is in use. */
  news(spec: ServerSpec, isInUse: () => boolean): Partial<ConnectionHooks>;
}

/** Makes the hooks of one session. */
export function createConnectionHooks({ session, spec, link, hooks, known }: ConnectionHooksInit): ConnectionHooks {
  const failed = (error: HostsideError): void =>
    link.report({ type: "connect-failed", session, error: toHostsideError(error, spec.id, "connect") });
  return {
    ...hooks.news(spec, () => hasSession(link.state) && link.state.session === session),
    onToolsChanged: () => link.report({ type: "tools-changed", session }),
    onDown: (error) => link.report({ type: "session-lost", session, error }),
    onQueued: () => link.report({ type: "turn", session, waits: true }),
    onStart: () => link.report({ type: "turn", session, waits: false }),
    onFailed: failed,
    ...(known && { known: { server: known.server, tools: known.tools } }),
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
  // A secret, which nobody who lists or copies members may come by.
  return Object.freeze(Object.defineProperty(peer, "sessionId", { get: () => connection?.sessionId }));
}

function addressOf({ url }: ServerSpec): Pick<ServerPeer, "address" | "port"> {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const known = port === "" ? schemePorts.get(protocol) : Number(port);
  return { address: hostname.replace(/^\[|\]$/g, ""), ...(known !== undefined && { port: known }) };
}
