import { HostsideError, type ServerSpec } from "@hostside/core";
import { compareSpecs, type SpecDifference } from "./compare-specs.ts";
import { withoutHold } from "../saved/held-listing.ts";
import { registrationEndedError } from "./operation-error.ts";
import type { Registration } from "./registration.ts";
import type { ServerSet } from "./server-set.ts";

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
function renewedError(serverId: string): HostsideError {
  const message = `the session with ${JSON.stringify(serverId)} ended, because the server got other credentials`;
  return new HostsideError(message, { code: "connection_closed", serverId, outcome: "not-sent" });
}
