import { withGetters } from "@toolport/core/implement";
import type { Clock, Random } from "@toolport/core";
import type { LinkContext, LinkEffect, LinkEvent } from "./link-event.ts";
import type { LinkPolicy } from "./link-policy.ts";
import type { LinkState } from "./link-state.ts";
import { transition, wakeAt } from "./transition.ts";
import { createWakeTimer } from "./wake-timer.ts";

/** Runs the transitions of one link, one event at a time. */
export interface Machine {
  readonly state: LinkState;
  /** Takes one step, or lines the event up behind the step that is being taken. */
  readonly dispatch: (event: LinkEvent) => void;
}

/** What a machine is made from. */
export interface MachineInit {
  readonly serverId: string;
  readonly initial: LinkState;
  readonly policy: () => LinkPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly isWaiting: () => boolean;
  readonly unusedSince: (session: number) => number | undefined;
  /** What a transition may know of the server of a session. */
  readonly serverOf: (session: number) => Pick<LinkContext, "isAssumed" | "announces">;
  readonly hasWholeListing: () => boolean;
  /** Gets the next state before its effects are performed. */
  readonly enter: (state: LinkState) => void;
  /** Gets what was thrown by something that must not throw: no fault of a part may leave the others waiting. */
  readonly onDefect: (error: unknown) => void;
  /** Carries out an effect. Must not throw. */
  readonly perform: (effect: LinkEffect) => void;
  /** Gets a state that is another one, after its effects. Must not throw. */
  readonly onState: (state: LinkState) => void;
}

/** Makes a machine in its initial state, with no timer. */
export function createMachine(init: MachineInit): Machine {
  const { serverId, clock, random, isWaiting, unusedSince } = init;
  let state = init.initial;
  const events: LinkEvent[] = [];
  const timer = createWakeTimer(clock, () => dispatch({ type: "wake" }));

  // Events that an effect causes wait until its step is complete, so that every step finds and leaves a consistent link.
  function dispatch(event: LinkEvent): void {
    if (events.push(event) > 1) return;
    for (let next = events[0]; next !== undefined; next = events[0]) {
      attempt(() => step(next));
      events.shift();
    }
  }

  function step(event: LinkEvent): void {
    const context: LinkContext = {
      serverId,
      now: clock.now(),
      random,
      policy: init.policy(),
      waiting: isWaiting(),
      unusedSince: unusedSince(state.session),
      ...init.serverOf(state.session),
      hasWholeListing: init.hasWholeListing(),
    };
    const { state: next, effects } = transition(state, event, context);
    const changed = next !== state;
    state = next;
    if (changed) init.enter(state);
    for (const effect of effects) attempt(() => init.perform(effect));
    timer.set(wakeAt(state, context.policy));
    if (changed) init.onState(state);
  }

  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      init.onDefect(error);
    }
  }

  return withGetters<Machine, "state">(
    {
      dispatch,
    },
    { state: () => state },
  );
}
