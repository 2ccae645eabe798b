import type { Cancel, Clock } from "@hostside/core";

/** At most one timer, set to the time a state names. */
export interface WakeTimer {
  /** Wakes at this time on the clock; never, when it is `undefined`. */
  set(at: number | undefined): void;
}

/** Makes a timer that calls `task` at or after the time it was last set to. */
export function createWakeTimer(clock: Clock, task: () => void): WakeTimer {
  return new RearmedTimer(clock, task);
}

// A class, because each link has one.
class RearmedTimer implements WakeTimer {
  readonly #clock: Clock;
  readonly #task: () => void;
  #cancel: Cancel | undefined;
  #armedFor = 0;
  #wanted: number | undefined;

  constructor(clock: Clock, task: () => void) {
    this.#clock = clock;
    this.#task = task;
  }

  set(at: number | undefined): void {
    this.#wanted = at;
    if (at === undefined) return this.#stop();
    // A storm puts the time off again and again: the timer that is there is left to fire early and
    // then armed anew.
    if (this.#cancel !== undefined && this.#armedFor <= at) return;
    this.#stop();
    this.#arm(at);
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(at: number): void {
    this.#armedFor = at;
    this.#cancel = this.#clock.schedule(Math.max(0, at - this.#clock.now()), () => {
      this.#cancel = undefined;
      const wanted = this.#wanted;
      if (wanted === undefined) return;
      if (this.#clock.now() < wanted) return this.#arm(wanted);
      this.#wanted = undefined;
      this.#task();
    });
  }
}
