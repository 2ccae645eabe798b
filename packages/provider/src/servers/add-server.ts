import { isHostsideError, type Clock, type ServerSpec, type HostsideError } from "@hostside/core";
import type { UserOperationOptions } from "../mcp-provider.ts";
import type { ProviderSettings } from "../provider-options.ts";
import { operationError, registrationEndedError } from "./operation-error.ts";
import { checkId, readSpec } from "./read-specs.ts";
import { whileUserWaits, type Registration } from "./registration.ts";
import type { ServerSet } from "./server-set.ts";

/** What the operations on single servers share. */
export interface OperationParts {
  readonly serverSet: ServerSet;
  readonly settings: ProviderSettings;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
}

/** Registers a server, if its spec is good and its id is free. Nothing starts. */
export function register(
  given: ServerSpec,
  { serverSet, settings }: OperationParts,
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
  parts: OperationParts,
): Promise<void> {
  const { serverSet, settings } = parts;
  const registration = register(given, parts, true);
  const { id, link } = registration;
  if (!registration.provisional) return;
  try {
    await whileUserWaits(registration, interactive, () => reachInTries(registration, settings.clock, signal));
    if (link.state.kind === "removed") throw link.state.error;
  } catch (reason) {
    await takeBack(registration, serverSet);
    throw operationError(reason, { serverId: id, operation: "addServer", signal });
  }
  const { provisional } = registration;
  serverSet.settle(registration);
  const unpublished = serverSet.unpublished(registration);
  if (unpublished === undefined) return;
  registration.provisional = provisional;
  await takeBack(registration, serverSet);
  throw unpublished;
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

async function reachInTries(registration: Registration, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  const { link } = registration;
  for (const pauseMs of tryAgainAfterMs) {
    try {
      await link.ready("ready", signal);
      return;
    } catch (reason) {
      const askedMs = isPassing(reason) ? (reason.details.retryAfterMs ?? 0) : Number.POSITIVE_INFINITY;
      if (askedMs > longestAskedMs || signal?.aborted === true || link.state.kind === "removed") throw reason;
      await pause(Math.max(pauseMs, askedMs), { registration, clock, signal });
    }
  }
  await link.ready("ready", signal);
}

function isPassing(reason: unknown): reason is HostsideError {
  if (!isHostsideError(reason)) return false;
  const { code, details } = reason;
  return passingCodes.has(code) || (code === "http_error" && passingStatuses.has(details.httpStatus ?? 0));
}

interface PauseInit {
  readonly registration: Registration;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Lets this much time pass; less when the caller gives up or the registration ends, which the next
 * try notices.
 */
function pause(ms: number, { registration, clock, signal }: PauseInit): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      cancel();
      signal?.removeEventListener("abort", goOn);
      registration.onEnd = undefined;
      resolve();
    };
    const cancel = clock.schedule(ms, goOn);
    signal?.addEventListener("abort", goOn, { once: true });
    registration.onEnd = goOn;
  });
}
