import { HostsideError, isHostsideError, type Cancel } from "@hostside/core";
import { clock, formatMs } from "@hostside/core/implement";
import type { Demand } from "../link/link-state.ts";
import { toHostsideError, operationError } from "../errors/to-hostside-error.ts";
import { reachInTries } from "./add-server.ts";
import { whileUserWaits, type Registration } from "./registration.ts";
import type { ProviderContext } from "./server-set.ts";

/** One server that could not be brought up. */
export interface StartFailure {
  readonly registration: Registration;
  readonly error: HostsideError;
}

/** The servers to bring up, and how. */
export interface BringUpPlan {
  /** Default: all that are registered. */
  readonly registrations?: readonly Registration[];
  /** A refresh is strict: it starts every server, and who is late has failed. */
  readonly demand: Extract<Demand, "ready" | "refresh">;
  /** For errors. */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
  readonly interactive?: boolean | undefined;
  /**
   * How long servers that are not required are waited for. Default: until they are there or have
   * failed.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Says whether servers that failed, or lost their session, are tried again. Default `true`.
   * `false` is for who needs a tool that is not there: it starts what was not started, whatever its
   * `startup` says.
   */
  readonly retryFailed?: boolean | undefined;
  /** Says of which recalled servers that is not enough then. */
  readonly isOld?: ((registration: Registration) => boolean) | undefined;
}

/**
 * Brings servers up at the same time, and returns those that failed, in their order. Servers that
 * are disabled are passed over, and so are those whose registration ends meanwhile, and those that
 * are late: their attempts go on. The `startup` of a spec holds but for a refresh. Throws `aborted`
 * when the caller gives up.
 */
export async function bringUp(plan: BringUpPlan, context: ProviderContext): Promise<readonly StartFailure[]> {
  const { demand, operation, signal, interactive, timeoutMs } = plan;
  const wanted = toWaitFor(plan, context);
  const settled = startTogether(wanted, context);
  const late = {};
  const time = new AbortController();
  const required = signal === undefined ? [] : [signal];
  const optional = [...required, time.signal];
  const cancel = timeoutMs === undefined ? undefined : clock.schedule(timeoutMs, () => time.abort(late));
  const outcomes = await Promise.all(
    wanted.map(async (registration): Promise<readonly StartFailure[]> => {
      const { link, id } = registration;
      try {
        // A signal for each, because a runtime warns of many listeners on one.
        const waits = AbortSignal.any(demand === "ready" && link.spec.required === true ? required : optional);
        await whileUserWaits<unknown>(registration, interactive, () =>
          demand === "ready" ? reachInTries(registration, isBusy, waits) : link.untilReady(demand, waits),
        );
        return [];
      } catch (reason) {
        if (link.state.kind === "removed") return [];
        if (reason === late) return demand === "refresh" ? [{ registration, error: lateError(id, plan) }] : [];
        return [{ registration, error: toHostsideError(reason, id, operation) }];
      } finally {
        settled(registration);
      }
    }),
  );
  cancel?.();
  if (signal?.aborted) throw operationError(signal.reason, { operation, signal });
  return outcomes.flat();
}

// Any other failure is shown at once: the host starts without that server.
function isBusy(reason: unknown): reason is HostsideError {
  return isHostsideError(reason, "rate_limited");
}

/** Starts those that nobody waits for, and returns the others. */
function toWaitFor(plan: BringUpPlan, context: ProviderContext): readonly Registration[] {
  const { registrations = context.serverSet.all(), demand, retryFailed = true, isOld } = plan;
  if (!retryFailed) return registrations.filter((one) => isUnlisted(one) || isOld?.(one) === true);
  const enabled = registrations.filter(({ link }) => link.state.kind !== "disabled");
  if (demand === "refresh") return enabled;
  // With tools from before there is nothing to wait for: the first call connects.
  const isWanted = (one: Registration): boolean =>
    (one.link.spec.startup ?? "init") === "init" && (one.link.spec.required === true || !isRecalled(one));
  // Their status says what becomes of them.
  const unawaited = enabled.filter(({ link }) => link.spec.startup === "background");
  const appear = startTogether(unawaited, context);
  for (const registration of unawaited) {
    const settled = (): void => appear(registration);
    void registration.link.untilReady(demand).then(settled, settled);
  }
  return enabled.filter(isWanted);
}

/**
 * Says whether its tools are not known because nobody asked yet, or because the answer is on its
 * way.
 */
export function isUnlisted({ link: { state }, shownListing }: Registration): boolean {
  return (
    state.kind === "connecting" || state.kind === "listing" || (state.kind === "idle" && shownListing === undefined)
  );
}

/** Says whether what it offers is from before its registration, and nobody has asked it since. */
export function isRecalled({ link: { state }, saved }: Registration): boolean {
  return saved !== undefined && state.kind === "idle";
}

function lateError(serverId: string, { operation, timeoutMs = 0 }: BringUpPlan): HostsideError {
  const message = `server ${JSON.stringify(serverId)} did not list its tools within ${formatMs(timeoutMs)} (timeoutMs of ${operation}())`;
  return new HostsideError(message, { code: "list_timeout", serverId, details: { operation, timeoutMs } });
}

/** One error for several servers, in server-id order; retryable if any of them is. */
export function refreshError(what: string, failures: readonly StartFailure[]): HostsideError {
  const list = failures.map(({ registration, error }) => `${registration.id}: ${error.message}`).join("; ");
  return new HostsideError(`failed to ${what}: ${list}`, {
    code: "refresh_failed",
    retryable: failures.some(({ error }) => error.retryable),
    details: { failures: failures.map(({ error }) => error) },
    cause: failures[0]?.error,
  });
}

// Long enough for servers that start at about the same speed, too short for a person to notice.
const longestHoldMs = 250;

/**
 * Makes servers that have not been shown yet appear together: when all of them have settled, or a
 * quarter of a second after the first, whichever comes first. So whoever watches the tools sees
 * them change once and not with every server, and a slow one holds up nobody. Late ones appear when
 * they are ready. Names do not depend on it.
 */
function startTogether(
  registrations: readonly Registration[],
  { serverSet }: ProviderContext,
): (settled: Registration) => void {
  const held = new Set(
    registrations.filter(({ shownListing, held: already }) => shownListing === undefined && !already),
  );
  const waiting = new Set(held);
  let cancel: Cancel | undefined;
  for (const registration of held) registration.held = true;

  const appear = (): void => {
    cancel?.();
    serverSet.show(held);
    held.clear();
  };
  return (registration) => {
    if (!waiting.delete(registration) || held.size === 0) return;
    if (waiting.size === 0) appear();
    else cancel ??= clock.schedule(longestHoldMs, appear);
  };
}
