import {
  HostsideError,
  type Clock,
  type Connector,
  type Random,
  type RequestSeam,
  type ServerRecord,
  type ServerSpec,
  type ToolListing,
} from "@hostside/core";
import { dateOf, sameJson } from "@hostside/core/implement";
import type { ConnectionHooks, KnownServer } from "@hostside/core/implement";
import { createNameFilter } from "../catalog/build-catalog.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";
import { createConnectionHooks, type NewsHooks } from "./connection-hooks.ts";
import {
  hasSession,
  isUpToDate,
  stateNameOf,
  beginOperation,
  type Demand,
  type LinkEffect,
  type LinkEvent,
  type LinkPolicy,
  type LinkState,
  type ReadyState,
  type StateName,
  type AnnounceOperation,
} from "./link-state.ts";
import { mustList } from "./listing-transitions.ts";
import { createMachine, createWaiters, type Machine, type MachineHost } from "./machine.ts";
import { createSessions, type Session, type Sessions, type SessionsHost } from "./sessions.ts";

/** What a link is made from. */
export interface LinkInit {
  readonly spec: ServerSpec;
  readonly connector: Connector;
  readonly clock: Clock;
  readonly random: Random;
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
export interface LinkHooks extends Omit<SessionsHost, "sessionEvent">, NewsHooks {
  /**
   * What the server listed before this link listed anything, as long as that still holds by the
   * server's own word.
   */
  known(): HeldListing | undefined;
  /** Whether a server that failed may be tried again without a call. */
  mayRetry(): boolean;
  /** Whether the latest listing that was made public is a whole one. */
  hasWholeListing(): boolean;
  /** A listing is to be made public. Must not throw. */
  publish(listing: ToolListing, session: Session): void;
  /** The state is another one. Must not throw. */
  onState(state: LinkState): void;
  /** Something that must not throw has thrown; the link goes on. Must not throw. */
  onDefect(error: unknown): void;
}

/**
 * One registered server. Runs its state machine and owns its sessions; makes no decision of its
 * own.
 */
export interface Link {
  readonly state: LinkState;
  /** What new sessions, listings and calls go by. */
  readonly spec: ServerSpec;
  /** When the live session was opened, in milliseconds since 1970; `undefined` without one. */
  readonly openedAt: number | undefined;
  /** When the state got the name that it has, in milliseconds since 1970. */
  readonly since: number;
  /** Whether anything is under way on a session, or subscribed to. */
  readonly busy: boolean;
  /** Has them go by another one. */
  use(spec: ServerSpec): void;
  /** The session a call may use at once; `undefined` when something has to happen first. */
  current(): Session | undefined;
  /**
   * Waits until the demand is met. Rejects with the reason of `signal`, which ends this wait and
   * nothing else.
   */
  ready(demand: Demand, signal?: AbortSignal): Promise<Session>;
  /** Reports what a call has met. */
  report(event: Extract<LinkEvent, { readonly type: "session-lost" | "refused" | "proven" }>): void;
  /** Replaces the session by one of the spec as it is now; calls on the old one may finish. */
  renew(error: HostsideError): void;
  /** With a `refusal`, the server says that it needs a sign-in, until it is connected to again. */
  disconnect(error: HostsideError, refusal?: HostsideError): void;
  /**
   * Ends the link for good; with `drain`, calls that are under way may finish until
   * {@linkcode cut}.
   */
  remove(error: HostsideError, drain?: boolean): void;
  /** Ends every session at once, also those that are on their way out. */
  cut(error: HostsideError): void;
  /**
   * Settles when no session and no attempt is left; with `butDraining`, none but sessions whose
   * calls finish. Never rejects.
   */
  gone(butDraining?: boolean): Promise<void>;
}

/** Makes a link. Nothing starts before something is wanted of it. */
export function createLink(init: LinkInit): Link {
  return new LinkToServer(init);
}

// A class, because each server has one.
class LinkToServer implements Link, MachineHost, SessionsHost {
  spec: ServerSpec;
  since: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly #hooks: LinkHooks;
  readonly #policyOf: LinkInit["policyOf"];
  readonly #seam: RequestSeam | undefined;
  #policy: LinkPolicy;
  readonly #waiters = createWaiters();
  readonly #sessions: Sessions;
  readonly #machine: Machine;
  #name: StateName | undefined;
  /**
   * The current session while nothing has to happen before a call. Every call asks for it, so it is
   * kept at hand.
   */
  #open: Session | undefined;
  #refreshing: number[] | undefined;

  constructor({ spec, connector, clock, random, policyOf, hooks, predecessor, seam }: LinkInit) {
    this.spec = spec;
    this.since = dateOf(clock);
    this.clock = clock;
    this.random = random;
    this.#hooks = hooks;
    this.#policyOf = policyOf;
    this.#seam = seam;
    this.#policy = policyOf(spec);
    this.#sessions = createSessions({ connector, clock, predecessor, host: this });
    const kind = spec.disabled === true ? "disabled" : "idle";
    this.#machine = createMachine(this, { kind, session: 0, run: 0 });
  }

  get serverId(): string {
    return this.spec.id;
  }

  get state(): LinkState {
    return this.#machine.state;
  }

  get openedAt(): number | undefined {
    const { state } = this;
    return hasSession(state) ? this.#sessions.get(state.session)?.openedAt : undefined;
  }

  get busy(): boolean {
    return this.#sessions.busy;
  }

  use(spec: ServerSpec): void {
    this.spec = spec;
    this.#policy = this.#policyOf(spec);
  }

  current(): Session | undefined {
    const { state } = this;
    if (this.#open !== undefined || state.kind !== "ready") return this.#open;
    if (mustList(state, { now: this.clock.now(), policy: this.#policy })) return undefined;
    return this.#sessions.get(state.session);
  }

  ready(demand: Demand, signal?: AbortSignal): Promise<Session> {
    // Nothing is started for somebody who has given up already.
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { ticket, session } = this.#waiters.add(demand, signal);
    if (demand === "refresh") this.#refresh(ticket);
    else this.#machine.dispatch({ type: "want", demand, tickets: [ticket] });
    return session;
  }

  report(event: LinkEvent): void {
    this.#machine.dispatch(event);
  }

  renew(error: HostsideError): void {
    this.#machine.dispatch({ type: "renew", error });
  }

  disconnect(error: HostsideError, refusal?: HostsideError): void {
    this.#machine.dispatch({ type: "disconnect", error, refusal });
    this.#sessions.endAll(error);
  }

  remove(error: HostsideError, drain = false): void {
    this.#machine.dispatch({ type: "remove", error, drain });
    if (!drain) this.#sessions.endAll(error);
  }

  cut(error: HostsideError): void {
    this.#sessions.endAll(error);
  }

  gone(butDraining?: boolean): Promise<void> {
    return this.#sessions.gone(butDraining);
  }

  transitionPolicy(): LinkPolicy {
    return this.#hooks.mayRetry() ? this.#policy : { ...this.#policy, background: false };
  }

  isWaiting(): boolean {
    return this.#waiters.waiting;
  }

  unusedSince(session: number): number | undefined {
    return this.#sessions.unusedSince(session);
  }

  isAssumed(session: number): boolean {
    return this.#sessions.get(session)?.connection.isAssumed === true;
  }

  hasWholeListing(): boolean {
    return this.#hooks.hasWholeListing();
  }

  enter(state: LinkState): void {
    if (stateNameOf(state) !== this.#name) {
      this.#name = stateNameOf(state);
      this.since = dateOf(this.clock);
    }
    const free = state.kind === "ready" && (isSettled(state) || this.#policy.refresh === "manual");
    this.#open = free ? this.#sessions.get(state.session) : undefined;
  }

  onState(state: LinkState): void {
    this.#hooks.onState(state);
  }

  onDefect(error: unknown): void {
    this.#hooks.onDefect(error);
  }

  onRecord(record: ServerRecord): void {
    this.#hooks.onRecord(record);
  }

  announcer(): AnnounceOperation | undefined {
    return this.#hooks.announcer();
  }

  sessionEvent(event: Parameters<SessionsHost["sessionEvent"]>[0]): void {
    this.report(event.type === "connected" ? this.#withKnown(event) : event);
  }

  perform(effect: LinkEffect): void {
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
        if (effect.type === "publish") return this.#hooks.publish(effect.listing, session);
        return effect.type === "go" ? waiters.go(effect.tickets, session) : waiters.release(effect, session);
      }
    }
  }

  #connectionHooks(session: number): ConnectionHooks {
    const { state, spec } = this;
    const isForCalls = state.kind === "connecting" && state.forCalls === true;
    const known = isForCalls && mayKnow(session) ? this.#hooks.known() : undefined;
    return createConnectionHooks({ session, spec, link: this, hooks: this.#hooks, known });
  }

  /**
   * Says until when what was listed before is still good; it is not for a server that says
   * something else of itself.
   */
  #withKnown(event: LinkEvent & { readonly type: "connected" }): LinkEvent {
    const known = mayKnow(event.session) ? this.#hooks.known() : undefined;
    const connection = this.#sessions.get(event.session)?.connection;
    if (known === undefined || connection === undefined) return event;
    const isThatOne = connection.isAssumed === true || sameJson(connection.server, known.server);
    return isThatOne ? { ...event, listedUntil: this.clock.now() + known.leftMs } : event;
  }

  async #list(number: number, run: number): Promise<void> {
    const session = this.#sessions.get(number);
    if (session === undefined) return;
    try {
      const list = (): Promise<ToolListing> => this.#askForTools(session);
      const isStartup = this.state.kind === "listing";
      const asked = { serverId: this.serverId, method: "tools/list", isStartup };
      const listing = await (this.#seam === undefined ? list() : this.#seam(asked, list));
      this.report({ type: "listed", session: number, run, listing });
    } catch (reason) {
      const error = toHostsideError(reason, this.serverId, "tools/list");
      this.report({ type: "list-failed", session: number, run, error });
    }
  }

  async #askForTools({ connection, peer }: Session): Promise<ToolListing> {
    const { spec, clock } = this;
    const hooks = this.#hooks;
    const announce = hooks.announcer();
    const operation = beginOperation("list", { spec, clock, onRecord: (record) => hooks.onRecord(record), announce });
    operation.announce();
    try {
      const timeoutMs = spec.timeouts?.listMs;
      const watched = announce && { observer: { meta: operation.meta } };
      const listing = await connection.listTools({ timeoutMs, wants: createNameFilter(spec), ...watched });
      assertListing(listing, spec.id);
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
      this.#machine.dispatch({ type: "want", demand: "refresh", tickets });
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

// A connector of the product's own may break its word.
function assertListing({ tools, dropped }: ToolListing, serverId: string): void {
  if (Array.isArray(tools) && Array.isArray(dropped)) return;
  throw new HostsideError("the connector's listTools() returned no listing", { code: "internal_error", serverId });
}
