import { onAbort } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";

/** Lets calls of one server through: together, or one at a time. */
export interface Gate {
  /** How many are through. */
  readonly active: number;
  /** Whether `tryEnter` would let it through now. */
  isOpen(turn: GateEntry): boolean;
  /** Goes through at once if that is allowed now and nobody waits whose turn is before. */
  tryEnter(turn: GateEntry): boolean;
  /** Waits for its turn. Rejects with the signal's reason when that aborts first. */
  enter(turn: GateEntry, signal: AbortSignal): Promise<void>;
  leave(turn: GateEntry): void;
  /** Turns away all who wait. */
  rejectAll(error: unknown): void;
}

/** What the gate has to know of a call. */
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
  readonly waiting: LinkedQueue<Entry>;
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
 * Makes an empty gate. `limit` says how many may be through together; it is asked each time,
 * because a spec can change.
 *
 * Callers that wait take turns, one call each; within one caller it is first come, first served. A
 * caller has at most its share of the places (`fairShareOf`) and waits beside the others while it
 * has that. Otherwise the turns are strict: an exclusive call whose turn it is holds up the shared
 * ones behind it, so that it cannot starve. Every step costs the same, however many wait.
 */
export function createGate(limit: () => number): Gate {
  const callers = createCallers();
  /** Those whose first call may go as soon as its turn comes, in the order of their turns. */
  const turns = new Set<Caller>();
  let active = 0;
  let exclusive = false;

  const isFree = (mode: GateMode): boolean => (mode === "shared" ? !exclusive && active < limit() : active === 0);
  const hasItsShare = ({ name, active: own }: Caller, mode: GateMode): boolean =>
    name !== undefined && mode === "shared" && own >= fairShareOf(limit());
  const isOpen = ({ mode, fairnessKey: name }: GateEntry): boolean => {
    if (turns.size > 0 || !isFree(mode)) return false;
    const caller = name === undefined ? undefined : callers.get(name);
    return caller === undefined || (caller.waiting.size === 0 && !hasItsShare(caller, mode));
  };
  const admit = (mode: GateMode, caller: Caller | undefined): void => {
    active += 1;
    exclusive = mode === "exclusive";
    if (caller?.name !== undefined) caller.active += 1;
  };
  const admitNext = (): void => {
    for (const caller of turns.values()) {
      const entry = caller.waiting.first;
      if (entry === undefined || hasItsShare(caller, entry.mode)) {
        // It is back when one of its calls leaves.
        turns.delete(caller);
        continue;
      }
      if (!isFree(entry.mode)) return;
      admit(entry.mode, caller);
      entry.go();
      turns.delete(caller);
      if (caller.waiting.size > 0) turns.add(caller);
      else callers.forgetIfGone(caller);
    }
  };
  return {
    isOpen,
    tryEnter(turn) {
      if (!isOpen(turn)) return false;
      admit(turn.mode, turn.fairnessKey === undefined ? undefined : callers.of(turn.fairnessKey));
      return true;
    },
    enter({ mode, fairnessKey: name }, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const caller = callers.of(name);
      const onGiveUp = (): void => {
        // Whoever stood behind may fit where this one did not.
        if (caller.waiting.size > 0) turns.add(caller);
        else turns.delete(caller);
        callers.forgetIfGone(caller);
        admitNext();
      };
      const entered = waitIn(caller.waiting, { mode, signal, onGiveUp });
      turns.add(caller);
      admitNext();
      return entered;
    },
    leave({ mode, fairnessKey: name }) {
      active -= 1;
      if (mode === "exclusive") exclusive = false;
      const caller = name === undefined ? undefined : callers.get(name);
      if (caller !== undefined) {
        caller.active -= 1;
        if (caller.waiting.size > 0) turns.add(caller);
        else callers.forgetIfGone(caller);
      }
      if (turns.size > 0) admitNext();
    },
    rejectAll(error) {
      turns.clear();
      for (const caller of callers.all()) {
        for (let entry = caller.waiting.first; entry !== undefined; entry = caller.waiting.first) entry.refuse(error);
        callers.forgetIfGone(caller);
      }
    },
    get active() {
      return active;
    },
  };
}

interface Callers {
  get(name: string | undefined): Caller | undefined;
  /** Makes one where there is none. */
  of(name: string | undefined): Caller;
  all(): readonly Caller[];
  forgetIfGone(caller: Caller): void;
}

function createCallers(): Callers {
  const callers = new Map<string | undefined, Caller>();
  const isIdle = ({ active, waiting }: Caller): boolean => active === 0 && waiting.size === 0;
  let latest: Caller | undefined;
  return {
    get: (name) => callers.get(name),
    of(name) {
      let caller = callers.get(name);
      if (caller === undefined) {
        caller = { name, active: 0, waiting: createLinkedQueue() };
        callers.set(name, caller);
      }
      return caller;
    },
    all: () => Array.from(callers.values()),
    forgetIfGone(caller) {
      if (!isIdle(caller)) return;
      // The latest to go stays until another one does: who makes one call after the other is not to
      // be made anew for each.
      if (latest !== undefined && latest !== caller && isIdle(latest)) callers.delete(latest.name);
      latest = caller;
    },
  };
}

interface Wait {
  readonly mode: GateMode;
  readonly signal: AbortSignal;
  /** Called when the signal aborts, and the call is out of the line. */
  readonly onGiveUp: () => void;
}

/** Puts a call into a line until it goes, is refused, or gives up. */
function waitIn(queue: LinkedQueue<Entry>, { mode, signal, onGiveUp }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      entry.refuse(signal.reason);
      onGiveUp();
    };
    const settled = (): void => {
      leaveQueue();
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
    const ignore = onAbort(signal, giveUp);
    const leaveQueue = queue.add(entry);
  });
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
  /** Of the same caller. */
  readonly own: number;
}

interface Waiter {
  readonly dismiss: (crowd: QueueLoad) => void;
  readonly leave: Cancel;
}

interface WaitingCaller {
  readonly name: string | undefined;
  readonly queue: LinkedQueue<Waiter>;
}

/** Makes an empty one. Every step costs the same, however many wait. */
export function createWaitingCalls(): WaitingCalls {
  const callers = new Map<string | undefined, WaitingCaller>();
  /** Those of whom so many wait. */
  const bySize = new Map<number, Set<WaitingCaller>>();
  let largest = 0;
  let waiting = 0;

  const move = (caller: WaitingCaller, from: number): void => {
    const to = caller.queue.size;
    const before = bySize.get(from);
    before?.delete(caller);
    if (before?.size === 0) bySize.delete(from);
    if (to > 0) {
      const others = bySize.get(to) ?? new Set();
      bySize.set(to, others.add(caller));
    } else callers.delete(caller.name);
    // By one at a time, so that whoever was the largest is beside it.
    if (to > largest || !bySize.has(largest)) largest = to;
  };
  return {
    add(name, dismiss) {
      let caller = callers.get(name);
      if (caller === undefined) {
        caller = { name, queue: createLinkedQueue() };
        callers.set(name, caller);
      }
      const mine = caller;
      let isIn = true;
      const waiter: Waiter = {
        dismiss,
        leave() {
          if (!isIn) return;
          isIn = false;
          leaveQueue();
          waiting -= 1;
          move(mine, mine.queue.size + 1);
        },
      };
      const leaveQueue = mine.queue.add(waiter);
      waiting += 1;
      move(mine, mine.queue.size - 1);
      return waiter.leave;
    },
    evictFor(name) {
      const [most] = bySize.get(largest) ?? [];
      const newest = most?.queue.last;
      if (newest === undefined || (callers.get(name)?.queue.size ?? 0) >= largest) return false;
      const crowd = { waiting, own: largest };
      newest.leave();
      newest.dismiss(crowd);
      return true;
    },
  };
}

/**
 * Those who wait, in the order in which they came. Every step costs the same, however many they
 * are.
 */
export interface LinkedQueue<T> {
  readonly size: number;
  readonly first: T | undefined;
  readonly last: T | undefined;
  /** Puts somebody at the end; the returned function takes them out, once. */
  add(value: T): Cancel;
}

interface Place<T> {
  readonly value: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/**
 * A class, because one is made for each call of a caller that has no other, and an object literal
 * with getters is made slowly.
 */
class DoublyLinkedQueue<T> implements LinkedQueue<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  get last(): T | undefined {
    return this.#last?.value;
  }

  add(value: T): Cancel {
    const place: Place<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.#size += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#size -= 1;
      if (place.before === undefined) this.#first = place.after;
      else place.before.after = place.after;
      if (place.after === undefined) this.#last = place.before;
      else place.after.before = place.before;
    };
  }
}

/** Makes an empty line. */
function createLinkedQueue<T>(): LinkedQueue<T> {
  return new DoublyLinkedQueue();
}
