import type { Cancel, Clock } from "@toolport/core";

/** At most one timer, set to the time a state names. */
export interface WakeTimer {
  /** Wakes at this time on the clock; never, when it is `undefined`. */
  set(at: number | undefined): void;
}

/** Makes a timer that calls `task` at or after the time it was last set to. */
export function createWakeTimer(clock: Clock, task: () => void): WakeTimer {
  let cancel: Cancel | undefined;
  let armedFor = 0;
  let wanted: number | undefined;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
  };
  const arm = (at: number): void => {
    armedFor = at;
    cancel = clock.schedule(Math.max(0, at - clock.now()), () => {
      cancel = undefined;
      if (wanted === undefined) return;
      if (clock.now() < wanted) return arm(wanted);
      wanted = undefined;
      task();
    });
  };
  return {
    set(at) {
      wanted = at;
      if (at === undefined) return stop();
      // A storm puts the time off again and again: the timer that is there is left to fire early and then armed anew.
      if (cancel !== undefined && armedFor <= at) return;
      stop();
      arm(at);
    },
  };
}
