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
  // A secret, which nobody who lists or copies members may come by.
  return Object.freeze(Object.defineProperty(peer, "sessionId", { get: () => connection?.sessionId }));
}

function addressOf({ url }: ServerSpec): Pick<ServerPeer, "address" | "port"> {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const known = port === "" ? schemePorts.get(protocol) : Number(port);
  return { address: hostname.replace(/^\[|\]$/g, ""), ...(known !== undefined && { port: known }) };
}
