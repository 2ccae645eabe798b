import type { Clock } from "@hostside/core";

/** What {@linkcode endStragglers} needs. */
export interface EndStragglersInit {
  /** Those that are left, by process id. */
  readonly find: () => Promise<readonly number[]>;
  readonly sendSignal: (pid: number, signal: NodeJS.Signals) => void;
  /** How long they may take to end after SIGTERM, and after SIGKILL, in milliseconds. */
  readonly graceMs: number;
  readonly clock: Clock;
}

const pollMs = 20;

/**
 * Ends processes that are in no group of ours: SIGTERM, then SIGKILL, only as far as needed. Never
 * rejects, and is never later than both graces.
 */
export async function endStragglers({ find, sendSignal, graceMs, clock }: EndStragglersInit): Promise<void> {
  let left = await find();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        sendSignal(pid, signal);
      } catch {
        // It ended by itself in between, or may not be signalled.
      }
    }
    for (const end = clock.now() + graceMs; left.length > 0 && clock.now() < end; left = await find()) {
      await new Promise<void>((resolve) => void clock.schedule(Math.min(pollMs, graceMs), resolve));
    }
  }
}
