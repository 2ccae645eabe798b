import type { Clock, Random, Cancel, HostsideError } from "@hostside/core";
import type { LinkContext, LinkEffect, LinkEvent, LinkPolicy, LinkState, Demand } from "./link-state.ts";
import { transition, wakeAt } from "./transition.ts";
import { onAbort } from "@hostside/core/implement";
import type { Session } from "./sessions.ts";

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
  isAssumed(session: number): boolean;
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
      isAssumed: host.isAssumed(session),
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

/** At most one timer, set to the time a state names. */
export interface WakeTimer {
  /** Wakes at this time on the clock; never, when it is `undefined`. */
  set(at: number | undefined): void;
}

/** Makes a timer that calls `task` at or after the time it was last set to. */
function createWakeTimer(clock: Clock, task: () => void): WakeTimer {
  return new RearmedTimer(clock, task);
}

// A class, because each link has one.
class RearmedTimer implements WakeTimer {
  readonly #clock: Clock;
  readonly #task: () => void;
  #cancel: Cancel | undefined;
  #armedFor = 0;
  #wanted: number | undefined;

  constructor(clock: Clock, task: () => void) {
    this.#clock = clock;
    this.#task = task;
  }

  set(at: number | undefined): void {
    this.#wanted = at;
    if (at === undefined) return this.#stop();
    // A storm puts the time off again and again: the timer that is there is left to fire early and
    // then armed anew.
    if (this.#cancel !== undefined && this.#armedFor <= at) return;
    this.#stop();
    this.#arm(at);
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(at: number): void {
    this.#armedFor = at;
    this.#cancel = this.#clock.schedule(Math.max(0, at - this.#clock.now()), () => {
      this.#cancel = undefined;
      const wanted = this.#wanted;
      if (wanted === undefined) return;
      if (this.#clock.now() < wanted) return this.#arm(wanted);
      this.#wanted = undefined;
      this.#task();
    });
  }
}

/** Those who wait for a link, each under a ticket of its own. */
export interface Waiters {
  /** Whether anybody waits for a run. */
  readonly waiting: boolean;
  /**
   * Takes a ticket. The promise rejects with the reason of `signal` when that aborts first; nobody
   * else is touched by it.
   */
  add(demand: Demand, signal: AbortSignal | undefined): { readonly ticket: number; readonly session: Promise<Session> };
  wait(tickets: readonly number[], run: number): void;
  go(tickets: readonly number[], session: Session): void;
  refuse(tickets: readonly number[], error: HostsideError): void;
  /**
   * Lets go who waits for this run or an earlier one; with an error, those who wanted a refresh get
   * that instead.
   */
  release(done: { readonly run: number; readonly error?: HostsideError }, session: Session): void;
  /** Turns away all who wait for a run. */
  reject(error: HostsideError): void;
}

interface Waiter {
  readonly demand: Demand;
  /** The listing it waits for; `undefined` until the link has decided. */
  run?: number;
  resolve(session: Session): void;
  reject(reason: unknown): void;
}

/** Makes an empty list of waiters. */
export function createWaiters(): Waiters {
  return new WaitersByTicket();
}

// A class, because each link has one.
class WaitersByTicket implements Waiters {
  readonly #waiters = new Map<number, Waiter>();
  #lastTicket = 0;

  get waiting(): boolean {
    for (const { run } of this.#waiters.values()) if (run !== undefined) return true;
    return false;
  }

  add(
    demand: Demand,
    signal: AbortSignal | undefined,
  ): { readonly ticket: number; readonly session: Promise<Session> } {
    this.#lastTicket += 1;
    const ticket = this.#lastTicket;
    const session = new Promise<Session>((resolve, reject) => {
      const leave = (): void => {
        this.#take(ticket);
        reject(signal?.reason);
      };
      const settled = signal && onAbort(signal, leave);
      this.#waiters.set(ticket, {
        demand,
        resolve(value) {
          settled?.();
          resolve(value);
        },
        reject(reason) {
          settled?.();
          reject(reason);
        },
      });
    });
    return { ticket, session };
  }

  wait(tickets: readonly number[], run: number): void {
    for (const ticket of tickets) {
      const waiter = this.#waiters.get(ticket);
      if (waiter) waiter.run = run;
    }
  }

  go(tickets: readonly number[], session: Session): void {
    for (const ticket of tickets) this.#take(ticket)?.resolve(session);
  }

  refuse(tickets: readonly number[], error: HostsideError): void {
    for (const ticket of tickets) this.#take(ticket)?.reject(error);
  }

  release({ run, error }: { readonly run: number; readonly error?: HostsideError }, session: Session): void {
    for (const ticket of this.#waitingFor(run)) {
      const waiter = this.#take(ticket);
      if (error !== undefined && waiter?.demand === "refresh") waiter.reject(error);
      else waiter?.resolve(session);
    }
  }

  reject(error: HostsideError): void {
    for (const ticket of this.#waitingFor(Number.POSITIVE_INFINITY)) this.#take(ticket)?.reject(error);
  }

  #take(ticket: number): Waiter | undefined {
    const waiter = this.#waiters.get(ticket);
    this.#waiters.delete(ticket);
    return waiter;
  }

  #waitingFor(run: number): readonly number[] {
    return Array.from(this.#waiters.entries())
      .filter(([, waiter]) => waiter.run !== undefined && waiter.run <= run)
      .map(([ticket]) => ticket);
  }
}
