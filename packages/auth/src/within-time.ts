import type { HostsideError } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import { serverError } from "./auth-errors.ts";

/** A bound for some work. */
export type TimeLimit = Pick<Parameters<typeof createDeadline>[0], "onTimeout" | "signal" | "timeoutMs">;

/**
 * Does some work within a time. Rejects with what `onTimeout` makes, and with the reason of the
 * signal, whatever the work does then; the signal that the work gets has aborted by then.
 */
export async function withinTime<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = createDeadline(limit);
  try {
    return await untilAborted(work(deadline.signal), deadline.signal);
  } finally {
    deadline.dispose();
  }
}

/** Makes the error of something about a server that took too long: nothing was sent to it. */
export function tooLate(about: { readonly serverId: string }, timeoutMs: number, what: string): HostsideError {
  const details = { timeoutMs };
  const text = `${what} within ${formatMs(timeoutMs)}`;
  return serverError(about, text, { code: "request_timeout", outcome: "not-sent", details });
}
