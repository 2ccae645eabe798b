import type { Cancel, Deadline } from "@toolport/core";

/** Deadlines that stand still together, while a human answers a question of their server. */
export interface Pausable {
  /** Adds a deadline; the returned function takes it out again, and its clock goes on. One that joins during a pause pauses at once. */
  add(deadline: Deadline): Cancel;
  /** Stops all of them until the returned function is called; pauses may overlap. */
  pause(): Cancel;
}

/** Makes an empty group. */
export function createPausable(): Pausable {
  const deadlines = new Map<Deadline, readonly Cancel[]>();
  let pauses = 0;
  return {
    add(deadline) {
      deadlines.set(deadline, pauses > 0 ? [deadline.pause()] : []);
      return () => {
        const resumes = deadlines.get(deadline) ?? [];
        deadlines.delete(deadline);
        for (const resume of resumes) resume();
      };
    },
    pause() {
      pauses += 1;
      if (pauses === 1) for (const deadline of deadlines.keys()) deadlines.set(deadline, [deadline.pause()]);
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        pauses -= 1;
        if (pauses > 0) return;
        for (const [deadline, resumes] of deadlines) {
          for (const resume of resumes) resume();
          deadlines.set(deadline, []);
        }
      };
    },
  };
}
