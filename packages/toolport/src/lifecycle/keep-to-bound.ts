import { ToolportError, type Clock } from "@toolport/core";
import { untilAborted } from "@toolport/core/implement";

/** Until when something is waited for. */
export interface Bound {
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** Absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Settles as `work` does, rejects with `aborted` when the signal aborts, and with `late()` when the time is up. The work goes on by itself then, and its
 * failure is silent.
 */
export async function keepToBound<T>(
  work: Promise<T>,
  { signal, clock, timeoutMs }: Bound,
  late: () => Error,
): Promise<T> {
  let end = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(abortedError(signal?.reason));
    const cancel = timeoutMs === undefined ? undefined : clock.schedule(timeoutMs, () => reject(late()));
    end = () => {
      cancel?.();
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    end();
  }
}

/** Settles as `work` does, or rejects with `aborted` when the signal aborts. The work goes on by itself then, and its failure is silent. */
export async function keepToSignal<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? abortedError(error) : error;
  }
}

/** What a caller gets who gave up. */
function abortedError(cause: unknown): ToolportError {
  return new ToolportError("createToolport() was aborted", {
    code: "aborted",
    outcome: "not-sent",
    details: { operation: "createToolport" },
    cause,
  });
}
