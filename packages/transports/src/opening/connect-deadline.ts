import { HostsideError } from "@hostside/core";
import { createDeadline, formatMs, type Deadline } from "@hostside/core/implement";

/** What a connection attempt's deadline goes by. */
export interface ConnectDeadlineInit {
  readonly serverId: string;
  readonly timeoutMs: number;
  /** The caller's. */
  readonly signal: AbortSignal;
}

/**
 * A deadline whose signal's reason is always a `HostsideError`: `connect_timeout` or, with the
 * caller's reason as cause, `aborted`.
 */
export function createConnectDeadline({ serverId, timeoutMs, signal }: ConnectDeadlineInit): Deadline {
  const caller = new AbortController();
  const onAbort = (): void => caller.abort(abortedConnect(serverId, signal));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const deadline = createDeadline({
    timeoutMs,
    signal: caller.signal,
    onTimeout: () =>
      new HostsideError(`server ${JSON.stringify(serverId)} was not ready within ${formatMs(timeoutMs)}`, {
        code: "connect_timeout",
        serverId,
        details: { timeoutMs },
      }),
  });
  return {
    signal: deadline.signal,
    remainingMs: () => deadline.remainingMs(),
    pause: () => deadline.pause(),
    dispose() {
      signal.removeEventListener("abort", onAbort);
      deadline.dispose();
    },
  };
}

/** The error of an attempt that the caller gave up. */
export function abortedConnect(serverId: string, { reason }: AbortSignal): HostsideError {
  return new HostsideError(`connecting to server ${JSON.stringify(serverId)} was aborted`, {
    code: "aborted",
    serverId,
    outcome: "not-sent",
    cause: reason,
  });
}
