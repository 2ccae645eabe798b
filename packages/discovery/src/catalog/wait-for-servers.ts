import { isHostsideError, HostsideError, type CallOptions } from "@hostside/core";
import type { AbsentServer } from "@hostside/core/implement";
import { runWithDeadline } from "./run-with-deadline.ts";
import { untilThere, type WaitSources } from "./wait-for-tool.ts";

/** How servers are waited for. */
export interface ServersWait extends Pick<CallOptions, "signal" | "deadline"> {
  /** For how long after somebody waited for it first a server is waited for. */
  readonly waitMs: number;
}

/**
 * Makes what waits for servers of which no tool is known and that are on their way. Each is waited
 * for once: who asks later than `waitMs` after the first one does not wait for it any more. Rejects
 * with `aborted`, or with what `deadline` ends by; a server that is late is no failure.
 */
export function createServersWait(sources: Omit<WaitSources, "has">): (wait: ServersWait) => Promise<void> {
  const { clock, absent } = sources;
  const since = new Map<string, number>();
  return async ({ waitMs, signal, deadline: outer }) => {
    const leftOf = ({ id, state }: AbsentServer): number =>
      isOnItsWay(state) ? (since.get(id) ?? clock.now()) + waitMs - clock.now() : 0;
    const awaited = absent().filter((server) => leftOf(server) > 0);
    if (awaited.length === 0) return;
    for (const { id } of awaited) if (!since.has(id)) since.set(id, clock.now());
    const timeoutMs = Math.max(...awaited.map(leftOf));
    const isThere = (): boolean => !absent().some((server) => leftOf(server) > 0);
    try {
      await runWithDeadline({ what: "waiting for servers", timeoutMs, signal, outer, clock }, (deadline) =>
        untilThere(isThere, sources, { timeoutMs, signal: deadline.signal }),
      );
    } catch (error) {
      if (!isHostsideError(error, "call_timeout") || outer?.remainingMs() === 0) throw notSent(error);
    }
  };
}

function isOnItsWay(state: string): boolean {
  return state === "idle" || state === "connecting";
}

function notSent(error: unknown): unknown {
  if (!isHostsideError(error)) return error;
  const { rawMessage, code, details, cause } = error;
  return new HostsideError(rawMessage, { code, details, cause, outcome: "not-sent" });
}
