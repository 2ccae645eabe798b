import { createOAuth, type ClientConfig, type OAuth } from "@hostside/auth";
import type { ServerSpec } from "@hostside/core";
import type { DriverClient, DriverServer } from "./driver-protocol.ts";

/** Hostside's credentials for the servers of one host. */
export interface SignIns {
  readonly authProvider: OAuth["authProvider"];
  /** What Hostside is told of a server; the client that it has there is known from then on. */
  readonly specOf: (server: DriverServer) => ServerSpec;
  close(): Promise<void>;
}

/** Keeps nothing after the host: the next one signs in again. */
export function createSignIns(): SignIns {
  const clients = new Map<string, DriverClient>();
  const oauth = createOAuth({ clients: ({ serverId }) => toConfig(clients.get(serverId)) });
  return {
    authProvider: oauth.authProvider,
    specOf({ id, transport, connectMs, closeMs }) {
      const timeouts = { connectMs, closeMs, probeMs: Math.max(1, Math.floor(connectMs / 4)) };
      if (transport.type !== "http" || transport.client === undefined) return { id, ...transport, timeouts };
      const { client, ...others } = transport;
      clients.set(id, client);
      return { id, ...others, auth: "oauth", timeouts };
    },
    close: () => oauth.close(),
  };
}

function toConfig(client: DriverClient | undefined): ClientConfig | undefined {
  return client && { flow: client.grant, clientId: client.id, clientSecret: client.secret };
}
