import type { Connection, ServerPeer, ServerSpec, TransportSpec } from "@toolport/core";

const schemePorts: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

/** How a server is spoken with, for records; `connection` is absent where nobody answered. */
export function describePeer(
  { transport }: ServerSpec,
  session: number,
  connection?: Pick<Connection, "server" | "sessionId">,
): ServerPeer {
  const { era, protocolVersion, httpMode } = connection?.server ?? {};
  const peer = {
    transport: transport.kind,
    ...(era !== undefined && { era }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(httpMode !== undefined && { httpMode }),
    ...addressOf(transport),
    session,
  };
  Object.defineProperty(peer, source, { value: connection });
  return Object.freeze(Object.defineProperty(peer, "sessionId", sessionId));
}

const source: unique symbol = Symbol("source");

// A secret, which nobody who lists or copies members may come by. One getter for all peers, so that they are no tables to the engine.
const sessionId: PropertyDescriptor & ThisType<{ readonly [source]: Pick<Connection, "sessionId"> | undefined }> = {
  get() {
    return this[source]?.sessionId;
  },
};

function addressOf(transport: TransportSpec): Pick<ServerPeer, "address" | "port"> {
  if (transport.kind !== "http" || !URL.canParse(transport.url)) return {};
  const { hostname, port, protocol } = new URL(transport.url);
  const known = port === "" ? schemePorts.get(protocol) : Number(port);
  return { address: hostname.replace(/^\[|\]$/g, ""), ...(known !== undefined && { port: known }) };
}
