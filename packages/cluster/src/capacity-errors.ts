import { HostsideError } from "@hostside/core";
import { formatMs } from "@hostside/core/implement";
import { boundNames, type Capacity, type BoundName } from "./capacity.ts";
import type { CapacityTracker } from "./capacity-tracker.ts";
import type { LeaseRequest } from "./lease-request.ts";

/** Who found no room. */
export interface RejectedLease {
  readonly request: LeaseRequest;
  readonly lacks: Capacity;
  readonly waitMs: number;
}

const whatCounts: Readonly<Record<BoundName, string>> = {
  maxProviders: "providers",
  maxConnections: "connections",
  maxProcesses: "processes",
  maxPerPrincipal: "connections of its principal",
};

/** `overloaded`, for whoever found all in use: which bound it was, the numbers, and what to do. */
export function fullError({ request, lacks, waitMs }: RejectedLease, { limits, left }: CapacityTracker): HostsideError {
  const bound = boundNames.find((name) => lacks[name] > 0) ?? "maxProviders";
  const limit = limits[bound];
  const used = limit - left(request.principal).now[bound];
  const waited = waitMs === 0 ? "" : `, also after ${formatMs(waitMs)}`;
  return new HostsideError(
    `no room for ${request.title}: ${used} of ${limit} ${whatCounts[bound]} are in use${waited}, and ${lacks[bound]} more would be needed; raise ${bound}, or give leases back`,
    { code: "overloaded", details: { policy: bound, usage: { used, limit } } },
  );
}

/**
 * Throws `overloaded`, which is not to be tried again, for what could never have room. `what` is as
 * in `"a provider"`.
 */
export function assertFits(what: string, takes: Capacity, limits: Capacity): void {
  const bound = boundNames.find((name) => takes[name] > limits[name]);
  if (bound === undefined) return;
  const usage = { used: takes[bound], limit: limits[bound] };
  throw new HostsideError(
    `${what} with these servers takes ${usage.used} ${whatCounts[bound]}, and ${bound} allows ${usage.limit}: it could never be had; raise ${bound}, or have fewer servers`,
    { code: "overloaded", retryable: false, details: { policy: bound, usage } },
  );
}
