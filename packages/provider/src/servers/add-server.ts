import { HostsideError, isHostsideError, type ServerSpec } from "@hostside/core";
import { pause, reachOf, sameJson } from "@hostside/core/implement";
import type { EndOptions, UserOperationOptions } from "../api/mcp-provider.ts";
import { operationError, registrationEndedError } from "../errors/to-hostside-error.ts";
import { withoutHold } from "../saved/read-saved-catalog.ts";
import { checkId, readSpec } from "./read-specs.ts";
import { whileUserWaits, type Registration } from "./registration.ts";
import type { ProviderContext, ServerSet } from "./server-set.ts";

/** Registers a server, if its spec is good and its id is free. Nothing starts. */
export function register(
  given: ServerSpec,
  { serverSet, settings }: ProviderContext,
  provisional = false,
): Registration {
  const { connector, naming } = settings;
  const spec = readSpec(given, connector);
  checkId(
    spec.id,
    serverSet.all().map(({ id }) => id),
    naming,
  );
  return serverSet.add(spec, { provisional: provisional && spec.disabled !== true });
}

/** See `McpProvider.addServer`. */
export async function addServer(
  given: ServerSpec,
  { signal, interactive }: UserOperationOptions,
  parts: ProviderContext,
): Promise<void> {
  const { serverSet } = parts;
  const registration = register(given, parts, true);
  const { id, link } = registration;
  if (!registration.provisional) return;
  try {
    await whileUserWaits(registration, interactive, () => reachInTries(registration, isPassing, signal));
    if (link.state.kind === "removed") throw link.state.error;
  } catch (reason) {
    await takeBack(registration, serverSet);
    throw operationError(reason, { serverId: id, operation: "addServer", signal });
  }
  serverSet.settle(registration);
}

// Ends this registration only: one that has taken its place meanwhile is not touched, nor this one
// if somebody else wants it by now.
async function takeBack(registration: Registration, serverSet: ServerSet): Promise<void> {
  if (!registration.provisional) return;
  await serverSet.end(registration, {
    error: registrationEndedError(registration.id, "could not be added"),
    sparesEarlier: true,
  });
}

// One failure would cost the whole registration. These are often over in a moment.
const passingStatuses = new Set([408, 429, 500, 502, 503, 504]);
const passingCodes = new Set(["connect_timeout", "list_timeout", "request_timeout", "rate_limited"]);
const tryAgainAfterMs = [250, 1000];
// Who asks for more than a person waits is believed at once.
const longestAskedMs = 5000;

/** Waits until a server is ready, and tries again a little later after a failure that passes. */
export async function reachInTries(
  registration: Registration,
  passes: (reason: unknown) => reason is HostsideError,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { link } = registration;
  for (const pauseMs of tryAgainAfterMs) {
    try {
      await link.untilReady("ready", signal);
      return;
    } catch (reason) {
      const askedMs = passes(reason) ? (reason.details.retryAfterMs ?? 0) : Number.POSITIVE_INFINITY;
      if (askedMs > longestAskedMs || signal?.aborted === true || link.state.kind === "removed") throw reason;
      // The next try notices when the caller gives up or the registration ends meanwhile.
      const { signal: gone } = registration.gone;
      await pause(Math.max(pauseMs, askedMs), signal === undefined ? gone : AbortSignal.any([gone, signal]));
    }
  }
  await link.untilReady("ready", signal);
}

function isPassing(reason: unknown): reason is HostsideError {
  if (!isHostsideError(reason)) return false;
  const { code, details } = reason;
  return passingCodes.has(code) || (code === "http_error" && passingStatuses.has(details.httpStatus ?? 0));
}

/**
 * Gives a registered server another spec, and restarts no more than that asks for. Waits for
 * nothing.
 */
export function updateSpec(
  old: Registration,
  spec: ServerSpec,
  { serverSet, drainMs, reason }: EndOptions & { readonly serverSet: ServerSet },
): { readonly registration: Registration; readonly difference: SpecDifference; readonly isWanted: boolean } {
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
/** Makes the error for calls that wait for a session when the server got other credentials. */
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
