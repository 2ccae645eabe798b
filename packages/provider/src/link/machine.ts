import type { Clock, Random } from "@hostside/core";
import type { LinkContext, LinkEffect, LinkEvent } from "./link-event.ts";
import type { LinkPolicy } from "./link-policy.ts";
import type { LinkState } from "./link-state.ts";
import { transition, wakeAt } from "./transition.ts";
import { createWakeTimer, type WakeTimer } from "./wake-timer.ts";

/** Runs the transitions of one link, one event at a time. */
export interface Machine {
  readonly state: LinkState;
  /** Takes one step, or lines the event up behind the step that is being taken. */
  dispatch(event: LinkEvent): void;
}

/** Whose machine it is. */
export interface MachineHost {
  readonly serverId: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Asked for each step. */
  transitionPolicy(): LinkPolicy;
  isWaiting(): boolean;
  unusedSince(session: number): number | undefined;
  /** What a transition may know of the server of a session. */
  serverOf(session: number): Pick<LinkContext, "isAssumed" | "announces">;
  hasWholeListing(): boolean;
  /** Gets the next state before its effects are performed. */
  enter(state: LinkState): void;
  /**
   * Gets what was thrown by something that must not throw: no fault of a part may leave the others
   * waiting.
   */
  onDefect(error: unknown): void;
  /** Carries out an effect. Must not throw. */
  perform(effect: LinkEffect): void;
  /** Gets a state that is another one, after its effects. Must not throw. */
  onState(state: LinkState): void;
}

/** Makes a machine in its initial state, with no timer. */
export function createMachine(host: MachineHost, initial: LinkState): Machine {
  return new StepByStep(host, initial);
}

// A class, because each link has one.
class StepByStep implements Machine {
  state: LinkState;
  readonly #host: MachineHost;
  #events: LinkEvent[] | undefined;
  readonly #timer: WakeTimer;

  constructor(host: MachineHost, initial: LinkState) {
    this.#host = host;
    this.state = initial;
    this.#timer = createWakeTimer(host.clock, () => this.dispatch({ type: "wake" }));
  }

  // Events that an effect causes wait until its step is complete, so that every step finds and
  // leaves a consistent link.
  dispatch(event: LinkEvent): void {
    if (this.#events !== undefined) return void this.#events.push(event);
    const events = [event];
    this.#events = events;
    for (let next = events[0]; next !== undefined; next = events[0]) {
      this.#attempt(() => this.#step(next));
      events.shift();
    }
    this.#events = undefined;
  }

  #step(event: LinkEvent): void {
    const host = this.#host;
    const { session } = this.state;
    const context: LinkContext = {
      serverId: host.serverId,
      now: host.clock.now(),
      random: host.random,
      policy: host.transitionPolicy(),
      waiting: host.isWaiting(),
      unusedSince: host.unusedSince(session),
      ...host.serverOf(session),
      hasWholeListing: host.hasWholeListing(),
    };
    const { state: next, effects } = transition(this.state, event, context);
    const changed = next !== this.state;
    this.state = next;
    if (changed) host.enter(next);
    for (const effect of effects) this.#attempt(() => host.perform(effect));
    this.#timer.set(wakeAt(next, context.policy));
    if (changed) host.onState(next);
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#host.onDefect(error);
    }
  }
}
