import type { CallContext, Cancel, Clock } from "@toolport/core";
import { partyOf, withGetters, createLazyMap } from "@toolport/core/implement";

/** Time that stands still while a human answers. */
export interface ActiveClock {
  /** Milliseconds since some fixed point, without the pauses. */
  now(): number;
  readonly isPaused: boolean;
  /** How long it has stood still so far, in milliseconds. */
  pausedMs(): number;
  /** Stops the time until the returned function is called; pauses may overlap. */
  pause(): Cancel;
  /** Somebody goes by it from now on, so that whoever asks for it next gets the same one. Until `leave()`. */
  enter(): void;
  leave(): void;
}

/** The times of one connection. As a clock of its own, that of nobody in particular, which stands still with any of them. */
export interface ActiveClocks extends ActiveClock {
  /** The time of one conversation, or of a principal: it stands still while these are asked, and not while others are. */
  of(context: CallContext | undefined): ActiveClock;
}

interface OneClock extends ActiveClock {
  readonly isInUse: boolean;
}

// So many that nobody goes by are not worth looking for.
const keptClocks = 1000;

/** Active clocks that run from the start. */
export function createActiveClock(clock: Clock): ActiveClocks {
  const ofNobody = createOneClock(clock);
  const clocks = createLazyMap<string, OneClock>();
  let sweepAt = keptClocks;
  const forgetUnused = (): void => {
    for (const [party, { isInUse }] of clocks.entries()) if (!isInUse) clocks.delete(party);
    sweepAt = Math.max(keptClocks, 2 * clocks.size);
  };
  const clocksOf: Omit<ActiveClocks, "isPaused"> = {
    ...ofNobody,
    of(context) {
      const party = partyOf(context);
      if (party === undefined) return ofNobody;
      let own = clocks.get(party);
      if (own === undefined) {
        if (clocks.size >= sweepAt) forgetUnused();
        own = createOneClock(clock, ofNobody);
        clocks.set(party, own);
      }
      return own;
    },
  };
  return withGetters<ActiveClocks, "isPaused">(clocksOf, { isPaused: () => ofNobody.isPaused });
}

/** `withIt` stands still whenever this one does. */
function createOneClock(clock: Clock, withIt?: ActiveClock): OneClock {
  let pausedMs = 0;
  let pauses = 0;
  let pausedAt = 0;
  let users = 0;
  const one: Omit<OneClock, "isPaused" | "isInUse"> = {
    now: () => (pauses > 0 ? pausedAt : clock.now()) - pausedMs,
    pausedMs: () => (pauses > 0 ? pausedMs + clock.now() - pausedAt : pausedMs),
    enter: () => void (users += 1),
    leave: () => void (users -= 1),
    pause() {
      if (pauses === 0) pausedAt = clock.now();
      pauses += 1;
      const resume = withIt?.pause();
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        resume?.();
        pauses -= 1;
        if (pauses === 0) pausedMs += clock.now() - pausedAt;
      };
    },
  };
  const own = { isPaused: () => pauses > 0, isInUse: () => pauses + users > 0 };
  return withGetters<OneClock, "isPaused" | "isInUse">(one, own);
}
