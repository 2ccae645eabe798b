import type { CallContext, Cancel } from "@hostside/core";
import { clock, fairnessKeyOf } from "@hostside/core/implement";

interface Pause {
  /** The key of the caller who is asked; `undefined`: nobody in particular. */
  readonly fairnessKey: string | undefined;
  readonly from: number;
  until: number;
}

// Far more than there are questions within the time of one call.
const mostKept = 1000;

/**
 * The times in which a person was asked on behalf of one connection. The deadlines of the caller
 * who is asked stand still then, and those of requests without a caller.
 */
export class Pauses {
  #pauses: Pause[] = [];

  /** Begins a pause, which lasts until the returned function is called; pauses may overlap. */
  begin(context: CallContext | undefined): Cancel {
    const pause: Pause = { fairnessKey: fairnessKeyOf(context), from: clock.now(), until: Infinity };
    if (this.#pauses.length >= mostKept) this.#pauses = this.#pauses.slice(-mostKept / 2);
    this.#pauses.push(pause);
    return () => void (pause.until = Math.min(pause.until, clock.now()));
  }

  /** True if the deadlines of this caller stand still now. */
  isPaused(context: CallContext | undefined): boolean {
    return this.#of(context).some(({ until }) => until === Infinity);
  }

  /** How long they stood still since then, in milliseconds. */
  msSince(startedAt: number, context: CallContext | undefined): number {
    if (this.#pauses.length === 0) return 0;
    const now = clock.now();
    let sum = 0;
    let covered = startedAt;
    for (const { from, until } of this.#of(context)) {
      const end = Math.min(until, now);
      sum += Math.max(0, end - Math.max(from, covered));
      covered = Math.max(covered, end);
    }
    return sum;
  }

  #of(context: CallContext | undefined): readonly Pause[] {
    const own = fairnessKeyOf(context);
    return own === undefined ? this.#pauses : this.#pauses.filter(({ fairnessKey }) => fairnessKey === own);
  }
}
