import { withGetters, onAbort, type LazySignal, createLazyMap, createLazySet } from "@hostside/core/implement";
import { createLine, type Line } from "./line.ts";

/** Lets calls of one server through: together, or one at a time. */
export interface Gate {
  /** How many are through. */
  readonly active: number;
  /** Whether `tryEnter` would let it through now. */
  isOpen(turn: Turn): boolean;
  /** Goes through at once if that is allowed now and nobody waits whose turn is before. */
  tryEnter(turn: Turn): boolean;
  /** Waits for its turn. Rejects with the signal's reason when that aborts first. */
  enter(turn: Turn, signal: AbortSignal | LazySignal): Promise<void>;
  leave(turn: Turn): void;
  /** Turns away all who wait. */
  rejectAll(error: unknown): void;
}

/** What the gate has to know of a call. */
export interface Turn {
  readonly mode: GateMode;
  /** Whose it is: those who have the same take one turn after the other. `undefined`: nobody's in particular, which is somebody of its own without a share. */
  readonly party: string | undefined;
}

/** `shared` calls go together; an `exclusive` one goes alone. */
export type GateMode = "shared" | "exclusive";

interface Entry {
  readonly mode: GateMode;
  readonly go: () => void;
  readonly refuse: (reason: unknown) => void;
}

interface Party {
  readonly name: string | undefined;
  /** How many of it are through; not counted for nobody in particular. */
  active: number;
  readonly waiting: Line<Entry>;
}

/**
 * How many of these places one party may have: three quarters, rounded up, and never all of them if there is more than one. So one whose calls take long leaves
 * room for others, whether these are there already or not.
 */
export function shareOf(places: number): number {
  return places <= 1 ? places : Math.min(places - 1, Math.ceil((places * 3) / 4));
}

/**
 * Makes an empty gate. `limit` says how many may be through together; it is asked each time, because a spec can change.
 *
 * Parties that wait take turns, one call each; within one party it is first come, first served. A party has at most its share of the places (`shareOf`) and waits
 * beside the others while it has that. Otherwise the turns are strict: an exclusive call whose turn it is holds up the shared ones behind it, so that it cannot starve.
 * Every step costs the same, however many wait.
 */
export function createGate(limit: () => number): Gate {
  const parties = createParties();
  /** Those whose first call may go as soon as its turn comes, in the order of their turns. */
  const turns = createLazySet<Party>();
  let active = 0;
  let exclusive = false;

  const isFree = (mode: GateMode): boolean => (mode === "shared" ? !exclusive && active < limit() : active === 0);
  const hasItsShare = ({ name, active: own }: Party, mode: GateMode): boolean =>
    name !== undefined && mode === "shared" && own >= shareOf(limit());
  const isOpen = ({ mode, party: name }: Turn): boolean => {
    if (turns.size > 0 || !isFree(mode)) return false;
    const party = name === undefined ? undefined : parties.get(name);
    return party === undefined || (party.waiting.size === 0 && !hasItsShare(party, mode));
  };
  const admit = (mode: GateMode, party: Party | undefined): void => {
    active += 1;
    exclusive = mode === "exclusive";
    if (party?.name !== undefined) party.active += 1;
  };
  const admitNext = (): void => {
    for (const party of turns.values()) {
      const entry = party.waiting.first;
      if (entry === undefined || hasItsShare(party, entry.mode)) {
        // It is back when one of its calls leaves.
        turns.delete(party);
        continue;
      }
      if (!isFree(entry.mode)) return;
      admit(entry.mode, party);
      entry.go();
      turns.delete(party);
      if (party.waiting.size > 0) turns.add(party);
      else parties.forgetIfGone(party);
    }
  };
  return withGetters<Gate, "active">(
    {
      isOpen,
      tryEnter(turn) {
        if (!isOpen(turn)) return false;
        admit(turn.mode, turn.party === undefined ? undefined : parties.of(turn.party));
        return true;
      },
      enter({ mode, party: name }, signal) {
        if (signal.aborted) return Promise.reject(signal.reason);
        const party = parties.of(name);
        const onGiveUp = (): void => {
          // Whoever stood behind may fit where this one did not.
          if (party.waiting.size > 0) turns.add(party);
          else turns.delete(party);
          parties.forgetIfGone(party);
          admitNext();
        };
        const entered = waitIn(party.waiting, { mode, signal, onGiveUp });
        turns.add(party);
        admitNext();
        return entered;
      },
      leave({ mode, party: name }) {
        active -= 1;
        if (mode === "exclusive") exclusive = false;
        const party = name === undefined ? undefined : parties.get(name);
        if (party !== undefined) {
          party.active -= 1;
          if (party.waiting.size > 0) turns.add(party);
          else parties.forgetIfGone(party);
        }
        if (turns.size > 0) admitNext();
      },
      rejectAll(error) {
        turns.clear();
        for (const party of parties.all()) {
          for (let entry = party.waiting.first; entry !== undefined; entry = party.waiting.first) entry.refuse(error);
          parties.forgetIfGone(party);
        }
      },
    },
    { active: () => active },
  );
}

interface Parties {
  get(name: string | undefined): Party | undefined;
  /** Makes one where there is none. */
  of(name: string | undefined): Party;
  all(): readonly Party[];
  forgetIfGone(party: Party): void;
}

function createParties(): Parties {
  const parties = createLazyMap<string | undefined, Party>();
  const isIdle = ({ active, waiting }: Party): boolean => active === 0 && waiting.size === 0;
  let latest: Party | undefined;
  return {
    get: (name) => parties.get(name),
    of(name) {
      let party = parties.get(name);
      if (party === undefined) {
        party = { name, active: 0, waiting: createLine() };
        parties.set(name, party);
      }
      return party;
    },
    all: () => Array.from(parties.values()),
    forgetIfGone(party) {
      if (!isIdle(party)) return;
      // The latest to go stays until another one does: who makes one call after the other is not to be made anew for each.
      if (latest !== undefined && latest !== party && isIdle(latest)) parties.delete(latest.name);
      latest = party;
    },
  };
}

interface Wait {
  readonly mode: GateMode;
  readonly signal: AbortSignal | LazySignal;
  /** Called when the signal aborts, and the call is out of the line. */
  readonly onGiveUp: () => void;
}

/** Puts a call into a line until it goes, is refused, or gives up. */
function waitIn(line: Line<Entry>, { mode, signal, onGiveUp }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      entry.refuse(signal.reason);
      onGiveUp();
    };
    const settled = (): void => {
      leaveLine();
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
    const leaveLine = line.add(entry);
  });
}
