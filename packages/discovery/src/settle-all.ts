import { isHostsideError, HostsideError } from "@hostside/core";

/**
 * Waits for all work, whatever becomes of it. Rejects with the failure if there is one, and with
 * `refresh_failed` and every failure, in the order of the work, if there are several.
 */
export async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (reasons.length === 0) return;
  if (reasons.length === 1) throw reasons[0];
  const failures = reasons.map(toFailure);
  throw new HostsideError(failures.map(({ rawMessage }) => rawMessage).join("; "), {
    code: "refresh_failed",
    retryable: failures.some(({ retryable }) => retryable),
    details: { failures: failures.flatMap((failure) => failure.details.failures ?? [failure]) },
  });
}

function toFailure(reason: unknown): HostsideError {
  if (isHostsideError(reason)) return reason;
  return new HostsideError("a source of tools failed in a way of its own", { code: "internal_error", cause: reason });
}
