import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import type { HttpGuard } from "./http-guard.ts";

/** Finds all addresses of a name, as `lookup` of `node:dns` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Makes the lookup of a socket: the address that it gets is the one that it connects to, so that a
 * check and its connection cannot see different answers. Addresses that are refused are left out,
 * and the others stay in their order, so that one which does not answer is still followed by the
 * next. If no address is left, the socket fails with the first refusal.
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
 * True if the sockets of this runtime ask {@linkcode guardLookup}; those that only look like Node
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
