import type { Connection, ServerPeer, ServerSpec } from "@hostside/core";
import { serverTypeOf } from "@hostside/core/implement";

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
