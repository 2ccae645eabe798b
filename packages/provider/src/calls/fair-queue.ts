/** The part of a call that the gate needs. */
export interface GateEntry {
  readonly mode: GateMode;
  /**
   * The key of its owner: those who have the same take one turn after the other. `undefined`:
   * nobody's in particular, which is somebody of its own without a share.
   */
  readonly fairnessKey: string | undefined;
}

/** `shared` calls go together; an `exclusive` one goes alone. */
export type GateMode = "shared" | "exclusive";

/** The wait of one call, which may be given up. An `AbortSignal` costs more than such a wait. */
export class Wait {
  /** Why it was given up. */
  over: { readonly reason: unknown } | undefined;
  /** Called once, when it is given up. */
  onGivenUp: ((reason: unknown) => void) | undefined;

  giveUp(reason: unknown): void {
    if (this.over !== undefined) return;
    this.over = { reason };
    this.onGivenUp?.(reason);
  }
}

interface Entry {
  readonly mode: GateMode;
  readonly wait: Wait;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface Caller {
  readonly name: string | undefined;
  /** How many of it are through; not counted for nobody in particular. */
  active: number;
  /** In the order in which they came. */
  readonly waiting: Entry[];
}

/**
 * Takes one out of a list; `false` if it is not there. A `Set` whose members come and go keeps many
 * of them alive until all memory is swept.
 */
export function removeFrom<T>(list: T[], one: T): boolean {
  const at = list.indexOf(one);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

/** The callers of one server. Idle ones are forgotten when there are many. */
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
    const caller: Caller = { name, active: 0, waiting: [] };
    this.#callers.set(name, caller);
    return caller;
  }

  all(): readonly Caller[] {
    return Array.from(this.#callers.values());
  }

  #sweep(): void {
    for (const { name, active, waiting } of this.all()) {
      if (active === 0 && waiting.length === 0) this.#callers.delete(name);
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
  readonly #turns: Caller[] = [];
  #exclusive = false;
  /** How many are through. */
  active = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Says whether `tryEnter` would let it through now. */
  isOpen({ mode, fairnessKey: name }: GateEntry): boolean {
    if (this.#turns.length > 0 || !this.#isFree(mode)) return false;
    const caller = name === undefined ? undefined : this.#callers.get(name);
    return caller === undefined || (caller.waiting.length === 0 && !this.#hasItsShare(caller, mode));
  }

  /** Goes through at once if that is allowed now and nobody waits whose turn is before. */
  tryEnter(turn: GateEntry): boolean {
    if (!this.isOpen(turn)) return false;
    this.#admit(turn.mode, turn.fairnessKey === undefined ? undefined : this.#callers.of(turn.fairnessKey));
    return true;
  }

  /** Waits for its turn. Rejects with the reason of the wait when that is given up first. */
  enter({ mode, fairnessKey }: GateEntry, wait: Wait): Promise<void> {
    if (wait.over !== undefined) return Promise.reject(wait.over.reason);
    const caller = this.#callers.of(fairnessKey);
    return new Promise((resolve, reject) => {
      const entry: Entry = { mode, wait, resolve, reject };
      wait.onGivenUp = (reason) => {
        removeFrom(caller.waiting, entry);
        reject(reason);
        // Whoever stood behind may fit where this one did not.
        this.#takeTurn(caller);
        this.#admitNext();
      };
      caller.waiting.push(entry);
      this.#takeTurn(caller);
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
    if (this.#turns.length > 0) this.#admitNext();
  }

  /** Turns away all who wait. */
  rejectAll(error: unknown): void {
    this.#turns.length = 0;
    for (const { waiting } of this.#callers.all()) {
      for (const { wait, reject } of waiting.splice(0)) {
        wait.onGivenUp = undefined;
        reject(error);
      }
    }
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
    if (caller.waiting.length === 0) removeFrom(this.#turns, caller);
    else if (!this.#turns.includes(caller)) this.#turns.push(caller);
  }

  #admitNext(): void {
    for (let [caller] = this.#turns; caller !== undefined; [caller] = this.#turns) {
      const [entry] = caller.waiting;
      const mayGo = entry !== undefined && !this.#hasItsShare(caller, entry.mode);
      if (mayGo && !this.#isFree(entry.mode)) return;
      this.#turns.shift();
      // Otherwise it is back when one of its calls leaves.
      if (!mayGo) continue;
      this.#admit(entry.mode, caller);
      caller.waiting.shift();
      entry.wait.onGivenUp = undefined;
      entry.resolve();
      this.#takeTurn(caller);
    }
  }
}

/** How many calls of one server wait, for an error. */
export interface QueueLoad {
  readonly waiting: number;
  /** Calls of the same caller. */
  readonly own: number;
}

/**
 * Finds the call that gives its place to one of `fairnessKey`: the newest of the caller with most
 * who wait, if this one has fewer.
 */
export function findDisplaced<Call extends Pick<GateEntry, "fairnessKey">>(
  calls: readonly Call[],
  fairnessKey: string | undefined,
): { readonly call: Call; readonly load: QueueLoad } | undefined {
  const counts = new Map<string | undefined, number>();
  for (const call of calls) counts.set(call.fairnessKey, (counts.get(call.fairnessKey) ?? 0) + 1);
  const [[largest, own] = [undefined, 0]] = Array.from(counts).sort(([, a], [, b]) => b - a);
  const call = calls.findLast((one) => one.fairnessKey === largest);
  if (call === undefined || (counts.get(fairnessKey) ?? 0) >= own) return undefined;
  return { call, load: { waiting: calls.length, own } };
}
