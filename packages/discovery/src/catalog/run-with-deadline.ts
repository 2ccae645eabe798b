import { isToolportError, ToolportError, type Clock } from "@toolport/core";
import { createDeadline, formatMs } from "@toolport/core/implement";

/** How long to wait for code of the product: a static tool, a ranker, a selector. */
export interface Allowance {
  /** What is waited for, in words, for the messages of errors. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/**
 * Runs something and waits for it no longer than that, whether it heeds its signal or not. Throws `call_timeout`, `aborted`, or what
 * the work throws.
 */
export async function runWithDeadline<T>(
  { what, timeoutMs, signal, clock }: Allowance,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  if (signal?.aborted) throw abortedBy(signal, what, "not-sent");
  const onTimeout = (): ToolportError =>
    new ToolportError(`${what} did not finish within ${formatMs(timeoutMs)}`, {
      code: "call_timeout",
      details: { timeoutMs },
    });
  const deadline = createDeadline({ timeoutMs, signal, clock, onTimeout });
  try {
    return await new Promise<T>((resolve, reject) => {
      deadline.signal.addEventListener("abort", () => reject(reasonOf(deadline.signal, what)), { once: true });
      // Begins at once; in a promise of its own, so that what throws is a rejection as well.
      new Promise<T>((done) => done(work(deadline.signal))).then(resolve, reject);
    });
  } finally {
    deadline.dispose();
  }
}

function reasonOf(signal: AbortSignal, what: string): ToolportError {
  return isToolportError(signal.reason, "call_timeout") ? signal.reason : abortedBy(signal, what, "unknown");
}

function abortedBy({ reason }: AbortSignal, what: string, outcome: "not-sent" | "unknown"): ToolportError {
  return new ToolportError(`the caller aborted ${what}`, { code: "aborted", outcome, cause: reason });
}
