import { clock } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "@hostside/provider";
import type { Host } from "../../host.ts";

/**
 * Why nobody looks on any more: all servers came up or failed, some are late, or somebody pressed
 * Ctrl-C.
 */
export type FollowEnd = "settled" | "late" | "interrupted";

/** How servers are followed. */
export interface FollowOptions {
  /** How long they may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Which of them are meant. Default: all. */
  readonly isMeant?: ((serverId: string) => boolean) | undefined;
  /**
   * Called for each that came up or failed, as it does so; and at once for those that did before.
   */
  readonly onSettled?: ((status: ServerStatus) => void) | undefined;
  /** Those that may take longer, once, and who hears that they do. Default: none. */
  readonly patience?: Patience | undefined;
}

/** Servers that are waited for beyond the time of the others. */
export interface Patience {
  readonly isMeant: (serverId: string) => boolean;
  /** How long in addition. */
  readonly timeoutMs: number;
  readonly onWait: (serverIds: readonly string[]) => void;
}

/** Whether a server's state says what became of its start. */
export function isSettled(state: ServerState): boolean {
  return state !== "idle" && state !== "connecting";
}

/**
 * Waits until each server came up or failed once, and no longer than that: a server that hangs
 * costs the others nothing.
 */
export function followServers(
  { statuses, onStatusChanged }: Pick<Host, "statuses" | "onStatusChanged">,
  { timeoutMs, signal, isMeant = () => true, onSettled, patience }: FollowOptions,
): Promise<FollowEnd> {
  const waiting = new Set<string>();
  let isPatient = false;
  const isOver = (): boolean => !Array.from(waiting).some((id) => !isPatient || patience?.isMeant(id) === true);
  const settle = (status: ServerStatus): void => {
    waiting.delete(status.id);
    onSettled?.(status);
  };
  return new Promise((resolve) => {
    const end = (how: FollowEnd): void => {
      stopListening();
      cancel();
      signal.removeEventListener("abort", interrupt);
      resolve(how);
    };
    const interrupt = (): void => end("interrupted");
    const stopListening = onStatusChanged((status) => {
      if (!waiting.has(status.id) || !isSettled(status.state)) return;
      settle(status);
      if (isOver()) end(waiting.size === 0 ? "settled" : "late");
    });
    let cancel = clock.schedule(timeoutMs, () => {
      isPatient = true;
      if (patience === undefined || isOver()) return end("late");
      cancel = clock.schedule(patience.timeoutMs, () => end("late"));
      patience.onWait(Array.from(waiting).filter((id) => patience.isMeant(id)));
    });
    signal.addEventListener("abort", interrupt);
    for (const status of statuses().filter(({ id }) => isMeant(id))) {
      if (isSettled(status.state)) onSettled?.(status);
      else waiting.add(status.id);
    }
    if (signal.aborted) interrupt();
    else if (waiting.size === 0) end("settled");
  });
}
