import { cleanText, type ConnectionGuard, type GuardedServer, type HostsideError } from "@hostside/core";
import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { findGuardRefusal } from "../../context/ask-guard.ts";

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

/** What an {@linkcode HttpGuard} is made from. */
export interface HttpGuardInit {
  readonly guard: ConnectionGuard;
  readonly server: GuardedServer;
  /** The server's own. */
  readonly serverUrl: string;
}

/** Makes one. */
export function createHttpGuard({ guard, server, serverUrl }: HttpGuardInit): HttpGuard {
  const { origin } = new URL(serverUrl);
  const refuse = (url: URL, ask: () => ReturnType<ConnectionGuard["checkUrl"]>): HostsideError | undefined =>
    findGuardRefusal({
      server,
      what: `connecting to ${placeOf(url)}`,
      field: url.origin === origin ? "url" : undefined,
      ask,
    });
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

/** The address that a URL has in place of a name. For it, nothing is looked up. */
export function addressIn({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // The parser has made this of every other spelling: a host that ends in a number is an address,
  // or the URL is none.
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

// Not the path and the query, which may be somebody's secret, nor user info.
function placeOf({ protocol, host }: URL): string {
  return cleanText(`${protocol}//${host}`, 300);
}

/** Finds all addresses of a name, as `lookup` of `node:dns` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * What a socket finds its address with: the one that it gets is the one that it connects to, so
 * that a check and its connection cannot see different answers. Addresses that are refused are left
 * out, and the others stay in their order, so that one which does not answer is still followed by
 * the next. Where none is left, the socket fails with the first refusal.
 */
export function guardLookup(url: URL, guard: HttpGuard, lookup: LookupAll = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const refusals = addresses.map(({ address }) => guard.refuseAddress(address, url));
      const allowed = addresses.filter((_, index) => refusals[index] === undefined);
      const [first] = allowed;
      if (first === undefined) return callback(refusals[0] ?? noAddress(hostname), "");
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Whether the sockets of this runtime ask {@linkcode guardLookup}; those that only look like Node
 * may connect without.
 */
export function asksForAddresses(versions: Readonly<Record<string, string | undefined>> = process.versions): boolean {
  return versions["bun"] === undefined && versions["deno"] === undefined;
}

const systemLookup: LookupAll = (hostname, options, callback) =>
  process.getBuiltinModule("node:dns").lookup(hostname, options, callback);

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`), { code: "ENOTFOUND" });
}
