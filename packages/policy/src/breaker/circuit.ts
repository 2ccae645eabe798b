import type { Health } from "./judge-health.ts";
import type { BreakerRules } from "./breaker-options.ts";

/**
 * `closed`: calls go through; `open`: none does; `half-open`: one at a time, to see whether the
 * server is well again.
 */
export type CircuitState = "closed" | "half-open" | "open";

/** What happened to a circuit because of a call. */
export type CircuitChange = { readonly to: CircuitState; readonly openMs?: number };

/** A call that was let through. */
export interface Pass {
  readonly isProbe: boolean;
  /** Says how it ended, once; later words count for nothing. */
  end(health: Health, fault?: object): CircuitChange | undefined;
}

/** One circuit. Decides; reports to nobody. */
export interface Circuit {
  readonly state: CircuitState;
  /**
   * How long it stays open from now on; 0 when the next call is a probe, and in every other state.
   */
  retryAfterMs(now: number): number;
  /** Asks for one call; `undefined`: it is refused. `change` is what came of that already. */
  enter(now: () => number): { readonly pass: Pass; readonly change: CircuitChange | undefined } | undefined;
}

const mostOpenMs = 120_000;
/** So many probes in a row that succeed close it. */
export const enough = 2;

/** Makes a closed circuit. */
export function createCircuit({ failures: mostFailures, openMs: firstOpenMs }: BreakerRules): Circuit {
  let state: CircuitState = "closed";
  let failures = 0;
  let successes = 0;
  let openMs = firstOpenMs;
  let openUntil = 0;
  let probe: Pass | undefined;
  /** Counts changes of the state: what was begun before the latest says nothing of what is now. */
  let era = 0;
  /** Counts failures, in all. */
  let step = 0;
  // One fault befalls every call that shares the connection, and is one.
  const faults = new WeakMap<object, number>();

  const change = (to: CircuitState): CircuitChange => {
    state = to;
    era += 1;
    failures = successes = 0;
    probe = undefined;
    return to === "open" ? { to, openMs } : { to };
  };
  const open = (forMs: number, now: number): CircuitChange => {
    openMs = forMs;
    openUntil = now + forMs;
    return change("open");
  };
  const count = (fault: object | undefined, startedAtStep: number, now: number): CircuitChange | undefined => {
    if (fault !== undefined && (faults.get(fault) ?? 0) > startedAtStep) return undefined;
    step += 1;
    if (fault !== undefined) faults.set(fault, step);
    failures += 1;
    return failures >= mostFailures ? open(firstOpenMs, now) : undefined;
  };
  const conclude = (health: Health, now: number): CircuitChange | undefined => {
    probe = undefined;
    if (health === "ill") return open(Math.min(Math.max(mostOpenMs, firstOpenMs), openMs * 2), now);
    if (health === "unclear") return undefined;
    successes += 1;
    return successes >= enough ? change("closed") : undefined;
  };
  const pass = (isProbe: boolean, now: () => number): Pass => {
    const startedInEra = era;
    const startedAtStep = step;
    let isOver = false;
    return {
      isProbe,
      end(health, fault) {
        if (isOver || era !== startedInEra) return undefined;
        isOver = true;
        if (isProbe) return conclude(health, now());
        if (health === "ill") return count(fault, startedAtStep, now());
        if (health === "well") failures = 0;
        return undefined;
      },
    };
  };
  return {
    get state() {
      return state;
    },
    retryAfterMs: (now) => (state === "open" ? Math.max(0, openUntil - now) : 0),
    enter(now) {
      if (state === "closed") return { pass: pass(false, now), change: undefined };
      if (probe !== undefined || (state === "open" && now() < openUntil)) return undefined;
      const changed = state === "open" ? change("half-open") : undefined;
      probe = pass(true, now);
      return { pass: probe, change: changed };
    },
  };
}
