import { ToolportError, type Clock } from "@toolport/core";
import { createFanOutSignal } from "../fan-out-signal.ts";
import type { Demand } from "../link/link-event.ts";
import { toToolportError } from "../to-toolport-error.ts";
import type { Registration } from "./registration.ts";
import { createDebut } from "./appear-together.ts";
import type { ServerSet } from "./server-set.ts";
import { operationError } from "./operation-error.ts";

/** One server that could not be brought up. */
export interface Failure {
  readonly registration: Registration;
  readonly error: ToolportError;
}

/** What to bring up, and how. */
export interface BringUpPlan {
  readonly serverSet: ServerSet;
  readonly clock: Clock;
  readonly demand: Demand;
  /** For errors. */
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
  /** How long servers that are not required are waited for. Default: until they are there or have failed. */
  readonly timeoutMs?: number;
  /** Whether servers that failed, or lost their session, are tried again. Default `true`. */
  readonly retryFailed?: boolean;
}

/**
 * Brings all servers up at the same time, and returns those that failed, in their order. Servers that are disabled are passed over,
 * and so are those whose registration ends meanwhile, and those that are late: their attempts go on. Throws `aborted` when the caller
 * gives up.
 */
export async function bringUp(plan: BringUpPlan): Promise<readonly Failure[]> {
  const { serverSet, clock, demand, operation, signal, timeoutMs, retryFailed = true } = plan;
  const wanted = serverSet.all().filter(retryFailed ? isEnabled : isUnlisted);
  const debut = createDebut(wanted, serverSet, clock);
  const late = {};
  const required = createFanOutSignal(signal);
  const optional = createFanOutSignal(signal);
  const cancel = timeoutMs === undefined ? undefined : clock.schedule(timeoutMs, () => optional.abort(late));
  const outcomes = await Promise.all(
    wanted.map(async (registration): Promise<readonly Failure[]> => {
      const { link, id } = registration;
      try {
        await link.ready(demand, (link.spec.required === true ? required : optional).next());
        return [];
      } catch (reason) {
        if (reason === late || link.state.kind === "removed") return [];
        return [{ registration, error: toToolportError(reason, id, operation) }];
      } finally {
        debut.settled(registration);
      }
    }),
  );
  cancel?.();
  required.release();
  optional.release();
  if (signal?.aborted) throw operationError(signal.reason, { operation, signal });
  // A debut shows its servers when the last one has settled, so this is known only now.
  const unpublished = wanted.flatMap((registration): readonly Failure[] => {
    const error = serverSet.unpublished(registration);
    return error === undefined ? [] : [{ registration, error }];
  });
  return [...outcomes.flat(), ...unpublished];
}

function isEnabled({ link }: Registration): boolean {
  return link.state.kind !== "disabled";
}

/** Whether its tools are not known because nobody asked yet, or because the answer is on its way. */
function isUnlisted({ link: { state }, listed }: Registration): boolean {
  return state.kind === "connecting" || state.kind === "listing" || (state.kind === "idle" && listed === undefined);
}

/** One error for several servers, in server-id order; retryable if any of them is. */
export function refreshError(what: string, failures: readonly Failure[]): ToolportError {
  const list = failures.map(({ registration, error }) => `${registration.id}: ${error.message}`).join("; ");
  return new ToolportError(`failed to ${what}: ${list}`, {
    code: "refresh_failed",
    retryable: failures.some(({ error }) => error.retryable),
    details: { failures: failures.map(({ error }) => error) },
    cause: failures[0]?.error,
  });
}
