import { clock } from "@hostside/core/implement";
import type { Cancel, SharedDeadline } from "@hostside/core";
import { removeFrom } from "./fair-queue.ts";

/**
 * Deadlines that stand still while a human answers a question of their server: those of the
 * conversation that is asked (`fairnessKeyOf`). Those of nobody in particular stand still with any.
 */
export interface Pausable {
  /**
   * Adds a deadline; the returned function takes it out again, and its clock goes on. One that
   * joins during a pause pauses at once.
   */
  add(deadline: SharedDeadline, fairnessKey: string | undefined): Cancel;
  /**
   * Stops those with this fairness key until the returned function is called; pauses may overlap.
   */
  pause(fairnessKey: string | undefined): Cancel;
}

/** The parts of a {@linkcode Pausable}. */
export interface PausableInit {
  /**
   * How long one deadline may stand still in all, in milliseconds. A server that asks without end
   * must not stop it for ever.
   */
  readonly mostMs: () => number;
}

interface Member {
  readonly deadline: SharedDeadline;
  readonly fairnessKey: string | undefined;
  usedMs: number;
  /** Lets the clock go on; there while it stands still. */
  resume: Cancel | undefined;
  /** It is asked to stand still, whether it has time left for that or not. */
  isPaused: boolean;
}

/** Makes an empty group. */
export function createPausable({ mostMs }: PausableInit): Pausable {
  const members: Member[] = [];
  /** How many pauses there are, with each fairness key. */
  const pauses = new Map<string | undefined, number>();
  const isStopped = ({ fairnessKey }: Member): boolean =>
    fairnessKey === undefined ? pauses.size > 0 : pauses.has(fairnessKey);
  /** Stops and starts what is to stand still now, and what is not. */
  const apply = (): void => {
    for (const member of members) {
      if (!isStopped(member)) member.resume?.();
      else if (member.resume === undefined && !member.isPaused) stop(member);
      member.isPaused = isStopped(member);
    }
  };

  const stop = (member: Member): void => {
    const leftMs = mostMs() - member.usedMs;
    if (leftMs <= 0) return;
    const stoppedAt = clock.now();
    const goOn = member.deadline.pause();
    const cancelTimer = clock.schedule(leftMs, () => member.resume?.());
    member.resume = () => {
      member.resume = undefined;
      member.usedMs += clock.now() - stoppedAt;
      cancelTimer();
      goOn();
    };
  };
  return {
    add(deadline, fairnessKey) {
      const member: Member = { deadline, fairnessKey, usedMs: 0, resume: undefined, isPaused: false };
      members.push(member);
      if (isStopped(member)) stop(member);
      member.isPaused = isStopped(member);
      return () => {
        removeFrom(members, member);
        member.resume?.();
      };
    },
    pause(fairnessKey) {
      pauses.set(fairnessKey, (pauses.get(fairnessKey) ?? 0) + 1);
      apply();
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        const left = (pauses.get(fairnessKey) ?? 1) - 1;
        if (left > 0) pauses.set(fairnessKey, left);
        else pauses.delete(fairnessKey);
        apply();
      };
    },
  };
}
