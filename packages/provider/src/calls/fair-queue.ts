import { onAbort } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";

/** The part of a call that the gate needs. */
export interface GateEntry {
  readonly mode: GateMode;
  /**
   * Whose it is: those who have the same take one turn after the other. `undefined`: nobody's in
   * particular, which is somebody of its own without a share.
   */
  readonly fairnessKey: string | undefined;
}

/** `shared` calls go together; an `exclusive` one goes alone. */
export type GateMode = "shared" | "exclusive";

interface Entry {
  readonly mode: GateMode;
  readonly go: () => void;
  readonly refuse: (reason: unknown) => void;
}

interface Caller {
  readonly name: string | undefined;
  /** How many of it are through; not counted for nobody in particular. */
  active: number;
  /** In the order in which they came. */
  readonly waiting: Set<Entry>;
}

/** The callers of one server. Those that are idle are forgotten when there are many. */
class Callers {
  readonly #callers = new Map<string | undefined, Caller>();
  #sweepAt = 16;

  get(name: string | undefined): Caller | undefined {
    return this.#callers.get(name);
  }

  /** Makes one where there is none. */
  of(name: string | undefined): Caller {
    const known = this.#callers.get(name);
    if (known !== undefined) return known;
    if (this.#callers.size >= this.#sweepAt) this.#sweep();
    const caller = { name, active: 0, waiting: new Set<Entry>() };
    this.#callers.set(name, caller);
    return caller;
  }

  all(): readonly Caller[] {
    return Array.from(this.#callers.values());
  }

  #sweep(): void {
    for (const { name, active, waiting } of this.all()) {
      if (active === 0 && waiting.size === 0) this.#callers.delete(name);
    }
    this.#sweepAt = 16 + 2 * this.#callers.size;
  }
}

/**
 * How many of these places one caller may have: three quarters, rounded up, and never all of them
 * if there is more than one. So one whose calls take long leaves room for others, whether these are
 * there already or not.
 */
export function fairShareOf(places: number): number {
  return places <= 1 ? places : Math.min(places - 1, Math.ceil((places * 3) / 4));
}

/**
 * Lets calls of one server through: together, or one at a time. `limit` says how many may be
 * through together; it is asked each time, because a spec can change.
 *
 * Callers that wait take turns, one call each; within one caller it is first come, first served. A
 * caller has at most its share of the places (`fairShareOf`) and waits beside the others while it
 * has that. Otherwise the turns are strict: an exclusive call whose turn it is holds up the shared
 * ones behind it, so that it cannot starve.
 */
export class Gate {
  readonly #limit: () => number;
  readonly #callers = new Callers();
  /** Callers whose first call may go as soon as its turn comes, in the order of their turns. */
  readonly #turns = new Set<Caller>();
  #exclusive = false;
  /** How many are through. */
  active = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Says whether `tryEnter` would let it through now. */
  isOpen({ mode, fairnessKey: name }: GateEntry): boolean {
    if (this.#turns.size > 0 || !this.#isFree(mode)) return false;
    const caller = name === undefined ? undefined : this.#callers.get(name);
    return caller === undefined || (caller.waiting.size === 0 && !this.#hasItsShare(caller, mode));
  }

  /** Goes through at once if that is allowed now and nobody waits whose turn is before. */
  tryEnter(turn: GateEntry): boolean {
    if (!this.isOpen(turn)) return false;
    this.#admit(turn.mode, turn.fairnessKey === undefined ? undefined : this.#callers.of(turn.fairnessKey));
    return true;
  }

  /** Waits for its turn. Rejects with the signal's reason when that aborts first. */
  enter({ mode, fairnessKey }: GateEntry, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const caller = this.#callers.of(fairnessKey);
    return new Promise((resolve, reject) => {
      const settled = (): void => {
        caller.waiting.delete(entry);
        ignore();
      };
      const entry: Entry = {
        mode,
        go() {
          settled();
          resolve();
        },
        refuse(reason) {
          settled();
          reject(reason);
        },
      };
      const ignore = onAbort(signal, () => {
        entry.refuse(signal.reason);
        // Whoever stood behind may fit where this one did not.
        this.#takeTurn(caller);
        this.#admitNext();
      });
      caller.waiting.add(entry);
      this.#turns.add(caller);
      this.#admitNext();
    });
  }

  leave({ mode, fairnessKey: name }: GateEntry): void {
    this.active -= 1;
    if (mode === "exclusive") this.#exclusive = false;
    const caller = name === undefined ? undefined : this.#callers.get(name);
    if (caller !== undefined) {
      caller.active -= 1;
      this.#takeTurn(caller);
    }
    if (this.#turns.size > 0) this.#admitNext();
  }

  /** Turns away all who wait. */
  rejectAll(error: unknown): void {
    this.#turns.clear();
    for (const { waiting } of this.#callers.all()) for (const one of Array.from(waiting.values())) one.refuse(error);
  }

  #isFree(mode: GateMode): boolean {
    return mode === "shared" ? !this.#exclusive && this.active < this.#limit() : this.active === 0;
  }

  #hasItsShare({ name, active: own }: Caller, mode: GateMode): boolean {
    return name !== undefined && mode === "shared" && own >= fairShareOf(this.#limit());
  }

  #admit(mode: GateMode, caller: Caller | undefined): void {
    this.active += 1;
    this.#exclusive = mode === "exclusive";
    if (caller?.name !== undefined) caller.active += 1;
  }

  #takeTurn(caller: Caller): void {
    if (caller.waiting.size > 0) this.#turns.add(caller);
    else this.#turns.delete(caller);
  }

  #admitNext(): void {
    for (const caller of this.#turns.values()) {
      const [entry] = caller.waiting.values();
      if (entry === undefined || this.#hasItsShare(caller, entry.mode)) {
        // It is back when one of its calls leaves.
        this.#turns.delete(caller);
        continue;
      }
      if (!this.#isFree(entry.mode)) return;
      this.#admit(entry.mode, caller);
      entry.go();
      this.#turns.delete(caller);
      this.#takeTurn(caller);
    }
  }
}

/**
 * The calls of one server that wait, for its session, for a listing or for their turn: whose they
 * are, and how many.
 */
export interface WaitingCalls {
  /**
   * Lets somebody wait; the returned function takes them out. `dismiss` is called when somebody
   * else gets the place, and they are out by then.
   */
  add(fairnessKey: string | undefined, dismiss: (crowd: QueueLoad) => void): Cancel;
  /**
   * Dismisses the newest of the caller with most who wait, if this one has fewer. Returns whether
   * there is a place now.
   */
  evictFor(fairnessKey: string | undefined): boolean;
}

/** How many wait, for an error. */
export interface QueueLoad {
  readonly waiting: number;
  /** Calls of the same caller. */
  readonly own: number;
}

/** Makes an empty one. Only `evictFor` looks at all who wait. */
export function createWaitingCalls(): WaitingCalls {
  const callers = new Map<string | undefined, Set<(crowd: QueueLoad) => void>>();
  let waiting = 0;
  return {
    add(name, dismiss) {
      const own = callers.get(name) ?? new Set();
      const waiter = (crowd: QueueLoad): void => {
        leave();
        dismiss(crowd);
      };
      const leave = (): void => {
        if (!own.delete(waiter)) return;
        waiting -= 1;
        if (own.size === 0) callers.delete(name);
      };
      callers.set(name, own.add(waiter));
      waiting += 1;
      return leave;
    },
    evictFor(name) {
      const [largest] = Array.from(callers.values()).toSorted((a, b) => b.size - a.size);
      if (largest === undefined || (callers.get(name)?.size ?? 0) >= largest.size) return false;
      const crowd = { waiting, own: largest.size };
      const [newest] = Array.from(largest).slice(-1);
      newest?.(crowd);
      return true;
    },
  };
}
