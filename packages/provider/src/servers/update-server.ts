import { HostsideError, type ServerSpec } from "@hostside/core";
import { withoutHold } from "../saved/held-listing.ts";
import { registrationEndedError } from "./operation-error.ts";
import type { Registration } from "./registration.ts";
import type { ServerSet } from "./server-set.ts";
import { reachOf, sameJson } from "@hostside/core/implement";

/** What came of another spec. */
export interface SpecUpdate {
  /** The same registration, or the one in its place. */
  readonly registration: Registration;
  readonly difference: SpecDifference;
  /** Whether a session that has what the spec says is on its way, or is to be opened. */
  readonly isWanted: boolean;
}

/** How a server that is replaced may end. */
export interface UpdateOptions {
  readonly drainMs?: number | undefined;
  readonly reason?: string | undefined;
}

/**
 * Gives a registered server another spec, and restarts no more than that asks for. Waits for
 * nothing.
 */
export function updateSpec(
  old: Registration,
  spec: ServerSpec,
  { serverSet, drainMs, reason }: UpdateOptions & { readonly serverSet: ServerSet },
): SpecUpdate {
  const difference = compareSpecs(old.link.spec, spec);
  if (difference === "session") {
    const error = registrationEndedError(spec.id, "was replaced", reason);
    const registration = serverSet.replace(old, spec, { error, drainMs });
    return { registration, difference, isWanted: spec.disabled !== true };
  }
  if (difference === "credentials" && old.saved !== undefined) old.saved = withoutHold(old.saved);
  if (difference !== "none") serverSet.respec(old, spec);
  if (difference === "credentials") old.link.renew(renewedError(spec.id));
  const { kind } = old.link.state;
  const isOnItsWay = kind === "connecting" || kind === "listing";
  const isWanted = spec.disabled !== true && (difference === "credentials" || isOnItsWay);
  return { registration: old, difference, isWanted };
}

// The server is still there: a call that was about to go out on the old session goes out on the
// next one.
/** What calls that wait for a session meet when the server got other credentials. */
export function renewedError(serverId: string): HostsideError {
  const message = `the session with ${JSON.stringify(serverId)} ended, because the server got other credentials`;
  return new HostsideError(message, { code: "connection_closed", serverId, outcome: "not-sent" });
}

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
