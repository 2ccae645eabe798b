import type { ServerSpec } from "@toolport/core";
import { sameJson } from "../catalog/same-json.ts";

/** How far two specs of one server are apart: not at all, in how it is shown and called, or in what a session depends on. */
export type SpecDifference = "none" | "view" | "session";

/**
 * Decides what an update has to restart (NX-32). A session depends on the transport, the protocol era and the limits it was opened
 * with; functions in a spec are compared by identity. Timeouts do not restart anything: they hold for what starts from then on.
 */
export function compareSpecs(before: ServerSpec, after: ServerSpec): SpecDifference {
  if (!sameJson(sessionPart(before), sessionPart(after))) return "session";
  return sameJson(before, after) ? "none" : "view";
}

function sessionPart({ transport, era = "auto", disabled = false, limits = {} }: ServerSpec): object {
  // The two that only the provider itself looks at.
  const { maxInFlightCalls: _calls, maxQueuedCalls: _queue, ...wireLimits } = limits;
  return { transport, era, disabled, limits: wireLimits };
}
