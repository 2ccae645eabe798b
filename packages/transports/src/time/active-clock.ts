import type { CallContext, Cancel } from "@hostside/core";
import { clock, fairnessKeyOf } from "@hostside/core/implement";

/** Time that stands still while a human answers. */
export interface ActiveClock {
  /** Milliseconds since some fixed point, without the pauses. */
  now(): number;
  readonly isPaused: boolean;
  /** How long it has stood still so far, in milliseconds. */
  pausedMs(): number;
  /** Stops the time until the returned function is called; pauses may overlap. */
  pause(): Cancel;
  /**
   * Somebody goes by it from now on, so that whoever asks for it next gets the same one. Until
   * `leave()`.
   */
  enter(): void;
  leave(): void;
}

/**
 * The times of one connection. As a clock of its own, that of nobody in particular, which stands
 * still with any of them.
 */
export interface ActiveClocks extends ActiveClock {
  /**
   * The time of one conversation, or of a principal: it stands still while these are asked, and not
   * while others are.
   */
  of(context: CallContext | undefined): ActiveClock;
}

// So many that nobody goes by are not worth looking for.
const keptClocks = 1000;

/** Active clocks that run from the start. */
export function createActiveClock(): ActiveClocks {
  return new ClocksByFairnessKey();
}

// A class, because each connection has one.
class PausableClock implements ActiveClock {
  readonly #withIt: ActiveClock | undefined;
  #pausedMs = 0;
  #pauses = 0;
  #pausedAt = 0;
  #users = 0;

  /** `withIt` stands still whenever this one does. */
  constructor(withIt?: ActiveClock) {
    this.#withIt = withIt;
  }

  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  get isInUse(): boolean {
    return this.#pauses + this.#users > 0;
  }

  now(): number {
    return (this.#pauses > 0 ? this.#pausedAt : clock.now()) - this.#pausedMs;
  }

  pausedMs(): number {
    return this.#pauses > 0 ? this.#pausedMs + clock.now() - this.#pausedAt : this.#pausedMs;
  }

  enter(): void {
    this.#users += 1;
  }

  leave(): void {
    this.#users -= 1;
  }

  pause(): Cancel {
    if (this.#pauses === 0) this.#pausedAt = clock.now();
    this.#pauses += 1;
    const resume = this.#withIt?.pause();
    let paused = true;
    return () => {
      if (!paused) return;
      paused = false;
      resume?.();
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#pausedMs += clock.now() - this.#pausedAt;
    };
  }
}

class ClocksByFairnessKey extends PausableClock implements ActiveClocks {
  readonly #clocks = new Map<string, PausableClock>();
  #sweepAt = keptClocks;

  of(context: CallContext | undefined): ActiveClock {
    const fairnessKey = fairnessKeyOf(context);
    if (fairnessKey === undefined) return this;
    let own = this.#clocks.get(fairnessKey);
    if (own === undefined) {
      if (this.#clocks.size >= this.#sweepAt) this.#forgetUnused();
      own = new PausableClock(this);
      this.#clocks.set(fairnessKey, own);
    }
    return own;
  }

  #forgetUnused(): void {
    for (const [fairnessKey, { isInUse }] of this.#clocks.entries()) if (!isInUse) this.#clocks.delete(fairnessKey);
    this.#sweepAt = Math.max(keptClocks, 2 * this.#clocks.size);
  }
}
