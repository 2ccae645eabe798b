import type { Connector, HostsideError, RequestSeam, ServerRecord, ServerSpec, ToolListing } from "@hostside/core";
import {
  clock,
  Alarm,
  onAbort,
  sameJson,
  systemRandom,
  type ConnectionHooks,
  type KnownServer,
} from "@hostside/core/implement";
import { createNameFilter } from "../catalog/build-catalog.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";
import {
  hasSession,
  isUpToDate,
  stateNameOf,
  type Demand,
  type LinkEffect,
  type LinkEvent,
  type LinkPolicy,
  type LinkState,
  type ReadyState,
  type StateName,
} from "./link-state.ts";
import { mustList } from "./listing-transitions.ts";
import { Operation, type AnnounceOperation } from "./operation.ts";
import { Sessions, type Session, type SessionsHost } from "./sessions.ts";
import { transition, wakeAt } from "./transition.ts";

/** The parts of a link. */
export interface LinkInit {
  readonly spec: ServerSpec;
  readonly connector: Connector;
  /** The numbers for a spec; asked again when the spec changes. */
  readonly policyOf: (spec: ServerSpec) => LinkPolicy;
  readonly hooks: LinkHooks;
  /** Settles when whatever had this server's id before is gone; no session starts earlier. */
  readonly predecessor?: Promise<void> | undefined;
  /** Stands around each listing. */
  readonly seam?: RequestSeam | undefined;
}

/** A listing from before, and for how much longer it holds. */
export interface HeldListing extends KnownServer {
  readonly leftMs: number;
}

/** How a link reports upwards. */
export interface LinkHooks extends Omit<SessionsHost, "sessionEvent"> {
  /** Makes the hooks of a connection. News counts only while its session is in use. */
  news(spec: ServerSpec, isInUse: () => boolean): Partial<ConnectionHooks>;
  /**
   * Returns the listing from before this link listed anything, as long as that still holds by the
   * server's own word.
   */
  known(): HeldListing | undefined;
  /** Says whether a server that failed may be tried again without a call. */
  mayRetry(): boolean;
  /** Says whether the latest listing that was made public is a whole one. */
  hasWholeListing(): boolean;
  /** A listing is to be made public. Must not throw. */
  publish(listing: ToolListing, session: Session): void;
  /** The state is another one. Must not throw. */
  onState(state: LinkState): void;
  /** Something that must not throw has thrown; the link goes on. Must not throw. */
  onDefect(error: unknown): void;
}

/**
 * One registered server. Runs its state machine, one event at a time, and owns its sessions; makes
 * no decision of its own. Nothing starts before something is wanted of it.
 */
export class Link implements SessionsHost {
  /** The spec of new sessions, listings and calls. */
  spec: ServerSpec;
  /** When the state got the name that it has, in milliseconds since 1970. */
  since: number;
  state: LinkState;
  readonly #init: LinkInit;
  #policy: LinkPolicy;
  #events: LinkEvent[] | undefined;
  readonly #alarm = new Alarm(() => this.report({ type: "wake" }));
  readonly #waiters = new Waiters();
  readonly #sessions: Sessions;
  #name: StateName | undefined;
  /**
   * The current session while nothing has to happen before a call. Every call asks for it, so it is
   * kept at hand.
   */
  #open: Session | undefined;
  #refreshing: number[] | undefined;

  constructor(init: LinkInit) {
    const { spec, connector, policyOf, predecessor } = init;
    this.spec = spec;
    this.since = clock.date();
    this.state = { kind: spec.disabled === true ? "disabled" : "idle", session: 0, run: 0 };
    this.#init = init;
    this.#policy = policyOf(spec);
    this.#sessions = new Sessions({ connector, predecessor, host: this });
  }

  /** When the live session was opened, in milliseconds since 1970; `undefined` without one. */
  get openedAt(): number | undefined {
    const { state } = this;
    return hasSession(state) ? this.#sessions.get(state.session)?.openedAt : undefined;
  }

  /** Says whether anything is under way on a session, or subscribed to. */
  get busy(): boolean {
    return this.#sessions.busy;
  }

  /** Has new sessions, listings and calls go by another spec. */
  use(spec: ServerSpec): void {
    this.spec = spec;
    this.#policy = this.#init.policyOf(spec);
  }

  /** The session a call may use at once; `undefined` when something has to happen first. */
  current(): Session | undefined {
    const { state } = this;
    if (this.#open !== undefined || state.kind !== "ready") return this.#open;
    if (mustList(state, { now: clock.now(), policy: this.#policy })) return undefined;
    return this.#sessions.get(state.session);
  }

  /**
   * Waits until the demand is met. Rejects with the reason of `signal`, which ends this wait and
   * nothing else.
   */
  untilReady(demand: Demand, signal?: AbortSignal): Promise<Session> {
    // Nothing is started for somebody who has given up already.
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { ticket, session } = this.#waiters.add(demand, signal);
    if (demand === "refresh") this.#refresh(ticket);
    else this.report({ type: "want", demand, tickets: [ticket] });
    return session;
  }

  /**
   * Takes one step, or lines the event up behind the step that is being taken, so that every step
   * finds and leaves a consistent link.
   */
  report(event: LinkEvent): void {
    if (this.#events !== undefined) return void this.#events.push(event);
    const events = [event];
    this.#events = events;
    for (let next = events[0]; next !== undefined; next = events[0]) {
      this.#attempt(() => this.#step(next));
      events.shift();
    }
    this.#events = undefined;
  }

  /** Replaces the session by one of the spec as it is now; calls on the old one may finish. */
  renew(error: HostsideError): void {
    this.report({ type: "renew", error });
  }

  /** With a `refusal`, the server says that it needs a sign-in, until it is connected to again. */
  disconnect(error: HostsideError, refusal?: HostsideError): void {
    this.report({ type: "disconnect", error, refusal });
    this.#sessions.endAll(error);
  }

  /**
   * Ends the link for good; with `drain`, calls that are under way may finish until
   * {@linkcode cut}.
   */
  remove(error: HostsideError, drain = false): void {
    this.report({ type: "remove", error, drain });
    if (!drain) this.#sessions.endAll(error);
  }

  /** Ends every session at once, also those that are on their way out. */
  cut(error: HostsideError): void {
    this.#sessions.endAll(error);
  }

  /**
   * Settles when no session and no attempt is left; with `butDraining`, none but sessions whose
   * calls finish. Never rejects.
   */
  gone(butDraining?: boolean): Promise<void> {
    return this.#sessions.gone(butDraining);
  }

  onRecord(record: ServerRecord): void {
    this.#init.hooks.onRecord(record);
  }

  announcer(): AnnounceOperation | undefined {
    return this.#init.hooks.announcer();
  }

  sessionEvent(event: Parameters<SessionsHost["sessionEvent"]>[0]): void {
    this.report(event.type === "connected" ? this.#withKnown(event) : event);
  }

  #step(event: LinkEvent): void {
    const { hooks } = this.#init;
    const { session } = this.state;
    const policy = hooks.mayRetry() ? this.#policy : { ...this.#policy, background: false };
    const { state: next, effects } = transition(this.state, event, {
      serverId: this.spec.id,
      now: clock.now(),
      random: systemRandom,
      policy,
      waiting: this.#waiters.waiting,
      unusedSince: this.#sessions.unusedSince(session),
      isAssumed: this.#sessions.get(session)?.connection.isAssumed === true,
      hasWholeListing: hooks.hasWholeListing(),
    });
    const changed = next !== this.state;
    this.state = next;
    if (changed) this.#enter(next);
    for (const effect of effects) this.#attempt(() => this.#perform(effect));
    const due = wakeAt(next, policy);
    if (due === undefined) this.#alarm.stop();
    else this.#alarm.setBy(due);
    if (changed) hooks.onState(next);
  }

  // No fault of a part may leave the others waiting.
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#init.hooks.onDefect(error);
    }
  }

  #enter(state: LinkState): void {
    const name = stateNameOf(state);
    if (name !== this.#name) {
      this.#name = name;
      this.since = clock.date();
    }
    const free = state.kind === "ready" && (isSettled(state) || this.#policy.refresh === "manual");
    this.#open = free ? this.#sessions.get(state.session) : undefined;
  }

  #perform(effect: LinkEffect): void {
    const sessions = this.#sessions;
    const waiters = this.#waiters;
    switch (effect.type) {
      case "connect":
        return sessions.open({
          number: effect.session,
          spec: this.spec,
          hooks: this.#connectionHooks(effect.session),
        });
      case "close":
        return sessions.end(effect.session, effect);
      case "list":
        return void this.#list(effect.session, effect.run);
      case "wait":
        return waiters.wait(effect.tickets, effect.run);
      case "refuse":
        return waiters.refuse(effect.tickets, effect.error);
      case "reject":
        return waiters.reject(effect.error);
      case "publish":
      case "go":
      case "release": {
        const session = sessions.get(this.state.session);
        // Only a state with a session has these effects.
        if (session === undefined) return;
        if (effect.type === "publish") return this.#init.hooks.publish(effect.listing, session);
        return effect.type === "go" ? waiters.go(effect.tickets, session) : waiters.release(effect, session);
      }
    }
  }

  #connectionHooks(session: number): ConnectionHooks {
    const { state, spec } = this;
    const { hooks } = this.#init;
    const isForCalls = state.kind === "connecting" && state.forCalls === true;
    const known = isForCalls && mayKnow(session) ? hooks.known() : undefined;
    return {
      ...hooks.news(spec, () => hasSession(this.state) && this.state.session === session),
      onToolsChanged: () => this.report({ type: "tools-changed", session }),
      onDown: (error) => this.report({ type: "session-lost", session, error }),
      onQueued: () => this.report({ type: "turn", session, waits: true }),
      onStart: () => this.report({ type: "turn", session, waits: false }),
      onFailed: (reason) => {
        const error = toHostsideError(reason, spec.id, "connect");
        this.report({ type: "connect-failed", session, error });
      },
      ...(known && { known: { server: known.server, tools: known.tools } }),
    };
  }

  /**
   * Says until when what was listed before is still good; it is not for a server that says
   * something else of itself.
   */
  #withKnown(event: LinkEvent & { readonly type: "connected" }): LinkEvent {
    const known = mayKnow(event.session) ? this.#init.hooks.known() : undefined;
    const connection = this.#sessions.get(event.session)?.connection;
    if (known === undefined || connection === undefined) return event;
    const isThatOne = connection.isAssumed === true || sameJson(connection.server, known.server);
    return isThatOne ? { ...event, listedUntil: clock.now() + known.leftMs } : event;
  }

  async #list(number: number, run: number): Promise<void> {
    const session = this.#sessions.get(number);
    if (session === undefined) return;
    try {
      const list = (): Promise<ToolListing> => this.#askForTools(session);
      const isStartup = this.state.kind === "listing";
      const { seam } = this.#init;
      const asked = { serverId: this.spec.id, method: "tools/list", isStartup };
      const listing = await (seam === undefined ? list() : seam(asked, list));
      this.report({ type: "listed", session: number, run, listing });
    } catch (reason) {
      const error = toHostsideError(reason, this.spec.id, "tools/list");
      this.report({ type: "list-failed", session: number, run, error });
    }
  }

  async #askForTools({ connection, peer }: Session): Promise<ToolListing> {
    const { spec } = this;
    const operation = new Operation("list", { spec, host: this });
    operation.announce();
    try {
      const timeoutMs = spec.timeouts?.listMs;
      const watched = this.announcer() && { observer: { meta: () => operation.meta() } };
      const listing = await connection.listTools({ timeoutMs, wants: createNameFilter(spec), ...watched });
      operation.end(peer, { toolCount: listing.tools.length });
      return listing;
    } catch (reason) {
      const error = toHostsideError(reason, spec.id, "tools/list");
      operation.end(peer, error);
      throw error;
    }
  }

  // Refreshes of one turn of the event loop share a listing: nothing can have changed between them.
  #refresh(ticket: number): void {
    if (this.#refreshing !== undefined) return void this.#refreshing.push(ticket);
    const tickets = [ticket];
    this.#refreshing = tickets;
    queueMicrotask(() => {
      this.#refreshing = undefined;
      this.report({ type: "want", demand: "refresh", tickets });
    });
  }
}

// Up to date until something happens, and not just until some time.
function isSettled(state: ReadyState): boolean {
  const isForNow = state.listing.kind === "fresh" && state.listing.until !== undefined;
  return !isForNow && isUpToDate(state, 0);
}

// When a session was lost, something has happened to its server.
function mayKnow(session: number): boolean {
  return session === 1;
}

interface Waiter {
  readonly demand: Demand;
  /** The listing it waits for; `undefined` until the link has decided. */
  run?: number;
  resolve(session: Session): void;
  reject(reason: unknown): void;
}

/** The waiters of a link, each under a ticket of its own. Nobody does at first. */
export class Waiters {
  readonly #waiters = new Map<number, Waiter>();
  #lastTicket = 0;

  /** Says whether anybody waits for a run. */
  get waiting(): boolean {
    for (const { run } of this.#waiters.values()) if (run !== undefined) return true;
    return false;
  }

  /**
   * Takes a ticket. The promise rejects with the reason of `signal` when that aborts first; nobody
   * else is touched by it.
   */
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

  /**
   * Lets go who waits for this run or an earlier one; with an error, those who wanted a refresh get
   * that instead.
   */
  release({ run, error }: { readonly run: number; readonly error?: HostsideError }, session: Session): void {
    for (const ticket of this.#waitingFor(run)) {
      const waiter = this.#take(ticket);
      if (error !== undefined && waiter?.demand === "refresh") waiter.reject(error);
      else waiter?.resolve(session);
    }
  }

  /** Turns away all who wait for a run. */
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
