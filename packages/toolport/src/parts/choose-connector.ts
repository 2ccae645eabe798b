import type { AuthorizationFetch, Clock, Connector } from "@toolport/core";
import { createAuthorizationFetch, createConnector, type ConnectorOptions } from "@toolport/transports";
import type { ToolportOptions } from "../toolport-options.ts";

/** Takes what was handed in, or makes what opens connections. */
export function chooseConnector(
  given: ToolportOptions["connector"],
  { authProvider, clock }: { readonly authProvider: ConnectorOptions["authProvider"]; readonly clock?: Clock },
): Connector {
  if (given !== undefined && "connect" in given) return given;
  // A server that makes a task of a call is waited for: to whoever calls it is a call like any other.
  return createConnector({ clock, tasks: "await", ...given, ...(authProvider !== undefined && { authProvider }) });
}

/** What asks authorization servers where no connection does: it goes the way that the connector goes. */
export function chooseFetch(given: ToolportOptions["connector"]): AuthorizationFetch | undefined {
  if (given === undefined || "connect" in given) return undefined;
  const { proxy, ca } = given;
  return proxy === undefined && ca === undefined ? undefined : createAuthorizationFetch({ proxy, ca });
}
