import { HostsideError, type Cancel } from "@hostside/core";
import { clock, untilAborted } from "@hostside/core/implement";

/** The end of a wait. */
interface Bound {
  readonly signal: AbortSignal | undefined;
  /** Absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Settles as `work` does, rejects with `aborted` when the signal aborts, and with `late()` when the
 * time is up. The work goes on by itself then, and its failure is silent.
 */
export async function keepToBound<T>(work: Promise<T>, { signal, timeoutMs }: Bound, late: () => Error): Promise<T> {
  if (timeoutMs === undefined) return await keepToSignal(work, signal);
  let cancel: Cancel = () => {};
  const over = new Promise<never>((_, reject) => (cancel = clock.schedule(timeoutMs, () => reject(late()))));
  try {
    return await keepToSignal(Promise.race([work, over]), signal);
  } finally {
    cancel();
  }
}

/**
 * Settles as `work` does, or rejects with `aborted` when the signal aborts. The work goes on by
 * itself then, and its failure is silent.
 */
export async function keepToSignal<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? abortedError(error) : error;
  }
}

/** Makes the error of an aborted call. */
function abortedError(cause: unknown): HostsideError {
  return new HostsideError("createHost() was aborted", {
    code: "aborted",
    outcome: "not-sent",
    details: { operation: "createHost" },
    cause,
  });
}
