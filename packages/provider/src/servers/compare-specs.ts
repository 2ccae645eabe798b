import type { ServerSpec } from "@hostside/core";
import { reachOf, sameJson } from "@hostside/core/implement";

/**
 * How far two specs of one server are apart: not at all, in how it is shown and called, in the
 * credentials that a session was opened with, or in something else that it depends on.
 */
export type SpecDifference = "none" | "view" | "credentials" | "session";

/**
 * Decides what an update has to restart. A session depends on the transport, the protocol era, the
 * limits it was opened with and whether its server may ask a human; functions in a spec are
 * compared by identity. Other headers, another token or another `auth` of the same HTTP server are
 * credentials: the next session has them, and calls under way may finish. Timeouts do not restart
 * anything: they hold for what starts from then on.
 */
export function compareSpecs(before: ServerSpec, after: ServerSpec): SpecDifference {
  if (!sameJson(sessionPart(before), sessionPart(after))) return "session";
  if (!sameJson(reachOf(before), reachOf(after))) return "credentials";
  return sameJson(before, after) ? "none" : "view";
}

function sessionPart(spec: ServerSpec): object {
  const { source, era = "auto", disabled = false, elicitation = true, limits = {} } = spec;
  // The two that only the provider itself looks at.
  const { maxInFlightCalls: _calls, maxQueuedCalls: _queue, ...wireLimits } = limits;
  const { headers: _headers, bearerToken: _token, auth: _auth, ...reach } = reachOf(spec);
  return { source, reach, era, disabled, elicitation, limits: wireLimits };
}
