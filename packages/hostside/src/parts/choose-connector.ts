import { inOption } from "../check-options.ts";
import type { OAuthOptions } from "@hostside/auth";
import type { AuthorizationFetch, Connector, ServerSpec } from "@hostside/core";
import { createAuthorizationFetch, createConnector, type ConnectorOptions } from "@hostside/transports";
import type { HostOptions } from "../host-options.ts";

/** Takes what was handed in, or makes what opens connections. */
export function chooseConnector(
  given: HostOptions["connector"],
  { authProvider }: { readonly authProvider: ConnectorOptions["authProvider"] },
): Connector {
  if (given !== undefined && "connect" in given) return given;
  // A server that makes a task of a call is waited for: to whoever calls it is a call like any
  // other.
  return inOption("connector", () =>
    createConnector({ tasks: true, ...given, ...(authProvider !== undefined && { authProvider }) }),
  );
}

/**
 * What asks authorization servers where no connection does: it goes the way that the connector
 * goes.
 */
export function chooseFetch(given: HostOptions["connector"] = {}): OAuthOptions["fetch"] {
  if ("connect" in given) return undefined;
  const { proxy, ca } = given;
  const known = new WeakMap<ServerSpec, AuthorizationFetch>();
  return (url, init, server) => {
    const fetch = known.get(server) ?? createAuthorizationFetch({ proxy, ca, server });
    known.set(server, fetch);
    return fetch(url, init);
  };
}
