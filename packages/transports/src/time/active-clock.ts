import type { Cancel, Clock } from "@toolport/core";

/** Time that stands still while a human answers. */
export interface ActiveClock {
  /** Milliseconds since some fixed point, without the pauses. */
  now(): number;
  readonly isPaused: boolean;
  /** How long it has stood still so far, in milliseconds. */
  pausedMs(): number;
  /** Stops the time until the returned function is called; pauses may overlap. */
  pause(): Cancel;
}

/** An active clock that runs from the start. */
export function createActiveClock(clock: Clock): ActiveClock {
  let pausedMs = 0;
  let pauses = 0;
  let pausedAt = 0;
  return {
    now: () => (pauses > 0 ? pausedAt : clock.now()) - pausedMs,
    get isPaused() {
      return pauses > 0;
    },
    pausedMs: () => (pauses > 0 ? pausedMs + clock.now() - pausedAt : pausedMs),
    pause() {
      if (pauses === 0) pausedAt = clock.now();
      pauses += 1;
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        pauses -= 1;
        if (pauses === 0) pausedMs += clock.now() - pausedAt;
      };
    },
  };
}
