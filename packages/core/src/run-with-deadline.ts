import { createDeadline, type Deadline, type SharedDeadline } from "./deadline.ts";
import { HostsideError, isHostsideError } from "./hostside-error.ts";
import { defaultTimeouts } from "./limits.ts";
import { formatMs } from "./text.ts";

// As long as a call stands still for a human at most.
const mostPausedMs = defaultTimeouts.elicitTotalMs;

/** How long to wait for code of the product: a static tool, a ranker, a selector. */
export interface Allowance {
  /** The work in words, for the messages of errors. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** A budget that the work is a part of: it is waited for no longer than is left of that. */
  readonly outer?: SharedDeadline | undefined;
}

/**
 * Runs something and waits for it no longer than that, whether it heeds its signal or not. Throws
 * `call_timeout`, `aborted`, or what the work throws.
 */
export async function runWithDeadline<T>(
  { what, timeoutMs, signal, outer }: Allowance,
  work: (deadline: Deadline) => PromiseLike<T> | T,
): Promise<T> {
  if (signal?.aborted) throw abortedBy(signal, what, "not-sent");
  const onTimeout = (): HostsideError =>
    new HostsideError(`${what} did not finish within ${formatMs(timeoutMs)}`, {
      code: "call_timeout",
      details: { timeoutMs },
    });
  const deadline = createDeadline({ timeoutMs, signal, outer, mostPausedMs, onTimeout });
  const { signal: over } = deadline;
  try {
    return await new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(reasonOf(over, what));
      if (over.aborted) giveUp();
      over.addEventListener("abort", giveUp, { once: true });
      // Begins at once; in a promise of its own, so that what throws is a rejection as well.
      new Promise<T>((done) => done(work(deadline))).then(resolve, reject);
    });
  } finally {
    deadline.dispose();
  }
}

function reasonOf({ reason }: AbortSignal, what: string): HostsideError {
  return isHostsideError(reason, "call_timeout") ? reason : abortedBy({ reason }, what, "unknown");
}

function abortedBy(
  { reason }: Pick<AbortSignal, "reason">,
  what: string,
  outcome: "not-sent" | "unknown",
): HostsideError {
  return new HostsideError(`the caller aborted ${what}`, { code: "aborted", outcome, cause: reason });
}
