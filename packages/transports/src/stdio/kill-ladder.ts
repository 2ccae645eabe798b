import type { Clock } from "@hostside/core";

/** One step of a shutdown. */
export interface Rung {
  readonly act: () => void;
  /** How long to wait for it to work before the next rung, in milliseconds. */
  readonly graceMs: number;
}

/** What is to be gone, and how to tell. */
export interface KillLadderInit {
  readonly rungs: readonly Rung[];
  /** Resolves when the leader's end was reported. */
  readonly leaderExited: Promise<unknown>;
  /** Whether anything is left. Asked only after the leader's end, because asking costs. */
  readonly isAlive: () => boolean;
  readonly clock: Clock;
}

const firstPollMs = 4;
const longestPollMs = 100;

/**
 * Takes one rung after the other until nothing is left. Resolves with whether that is so, never
 * later than all graces together.
 */
export async function killLadder(init: KillLadderInit): Promise<boolean> {
  for (const { act, graceMs } of init.rungs) {
    act();
    if (await isGoneWithin(graceMs, init)) return true;
  }
  return false;
}

function isGoneWithin(graceMs: number, { leaderExited, isAlive, clock }: KillLadderInit): Promise<boolean> {
  return new Promise((resolve) => {
    let settled = false;
    let pollMs = firstPollMs;
    let cancelPoll = (): void => {};
    const cancelGrace = clock.schedule(graceMs, () => settle(false));
    const settle = (gone: boolean): void => {
      settled = true;
      cancelPoll();
      cancelGrace();
      resolve(gone);
    };
    const poll = (): void => {
      if (settled) return;
      if (!isAlive()) return settle(true);
      cancelPoll = clock.schedule(pollMs, poll);
      pollMs = Math.min(pollMs * 2, longestPollMs);
    };
    void leaderExited.then(poll);
  });
}
