import type { Clock } from "./clock.ts";
import { formatMs } from "./format-ms.ts";
import { safeCause } from "./safe-cause.ts";
import type { CallOutcome } from "./hostside-error-code.ts";
import { HostsideError } from "./hostside-error.ts";
import { cleanText } from "./untrusted-text.ts";

/**
 * A `store_failed`. `reason` is what a part that is not ours threw; its message is shown, its
 * members are not. `outcome`: `unknown` for a write that may have been done; default `not-sent`.
 */
export function storeFailed(what: string, reason?: unknown, outcome?: CallOutcome): HostsideError {
  const said = reason instanceof Error && reason.message !== "" ? `: ${cleanText(reason.message, 300)}` : "";
  return new HostsideError(what + said, { code: "store_failed", outcome, cause: safeCause(reason, (text) => text) });
}

/** How long a part that keeps something may take for one step. */
export interface StepLimit {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Does one step of a part that is not ours. Rejects with `store_failed` when it throws, and when it
 * takes too long: a client of a database that is down may keep what it is asked for until the
 * database is back.
 */
export function doStep<T>(what: string, limit: StepLimit, step: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(storeFailed(`${what} took more than ${formatMs(limit.timeoutMs)}`));
    const cancel = limit.clock.schedule(limit.timeoutMs, late);
    const work = async (): Promise<T> => step();
    work()
      .then(resolve, (error: unknown) => reject(storeFailed(`${what} failed`, error)))
      .finally(cancel);
  });
}
