import type { Cancel, Clock, SharedDeadline } from "@toolport/core";

/** Deadlines that stand still together, while a human answers a question of their server. */
export interface Pausable {
  /** Adds a deadline; the returned function takes it out again, and its clock goes on. One that joins during a pause pauses at once. */
  add(deadline: SharedDeadline): Cancel;
  /** Stops all of them until the returned function is called; pauses may overlap. */
  pause(): Cancel;
}

/** What a {@linkcode Pausable} is made from. */
export interface PausableInit {
  readonly clock: Clock;
  /** How long one deadline may stand still in all, in milliseconds. A server that asks without end must not stop it for ever. */
  readonly mostMs: () => number;
}

interface Member {
  usedMs: number;
  /** Lets the clock go on; there while it stands still. */
  resume: Cancel | undefined;
}

/** Makes an empty group. */
export function createPausable({ clock, mostMs }: PausableInit): Pausable {
  const members = new Map<SharedDeadline, Member>();
  let pauses = 0;

  const stop = (deadline: SharedDeadline, member: Member): void => {
    const leftMs = mostMs() - member.usedMs;
    if (leftMs <= 0) return;
    const stoppedAt = clock.now();
    const goOn = deadline.pause();
    const cancelTimer = clock.schedule(leftMs, () => member.resume?.());
    member.resume = () => {
      member.resume = undefined;
      member.usedMs += clock.now() - stoppedAt;
      cancelTimer();
      goOn();
    };
  };
  return {
    add(deadline) {
      const member: Member = { usedMs: 0, resume: undefined };
      members.set(deadline, member);
      if (pauses > 0) stop(deadline, member);
      return () => {
        members.delete(deadline);
        member.resume?.();
      };
    },
    pause() {
      pauses += 1;
      if (pauses === 1) for (const [deadline, member] of members) stop(deadline, member);
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        pauses -= 1;
        if (pauses === 0) for (const member of members.values()) member.resume?.();
      };
    },
  };
}
