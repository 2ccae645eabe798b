import type { ConnectionGuard, GuardedServer, HostsideError } from "@hostside/core";
import { addressIn, findGuardRefusal } from "@hostside/core/implement";

/** A host's guard, as it is asked about the HTTP of one server. */
export interface HttpGuard {
  /**
   * Before a request: the error to fail with, or `undefined`. An address that stands in the URL
   * itself is asked for, too.
   */
  refuseUrl(url: URL): HostsideError | undefined;
  /** Before a connection to a host that has a name; `undefined` when its address is not known. */
  refuseAddress(address: string | undefined, url: URL): HostsideError | undefined;
}

/** Asks a host's guard about a server and its URL. */
export function createHttpGuard(guard: ConnectionGuard, server: GuardedServer, serverUrl: string): HttpGuard {
  const { origin } = new URL(serverUrl);
  const refuse = (url: URL, ask: () => ReturnType<ConnectionGuard["checkUrl"]>): HostsideError | undefined =>
    findGuardRefusal({ server, what: url, field: url.origin === origin ? "url" : undefined, ask });
  const refuseAddress: HttpGuard["refuseAddress"] = (address, url) =>
    refuse(url, () => guard.checkAddress(address, url, server));
  return {
    refuseUrl(url) {
      const address = addressIn(url);
      return (
        refuse(url, () => guard.checkUrl(url, server)) ??
        (address === undefined ? undefined : refuseAddress(address, url))
      );
    },
    refuseAddress,
  };
}
