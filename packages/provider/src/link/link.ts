import {
  ToolportError,
  type Clock,
  type Connector,
  type Random,
  type ServerRecord,
  type ServerSpec,
  type ToolListing,
} from "@toolport/core";
import { withGetters, dateOf, isJsonObject, sameJson } from "@toolport/core/implement";
import type { ConnectionHooks, KnownServer } from "@toolport/core/implement";
import { createNameFilter } from "../catalog/tool-filter.ts";
import { toToolportError } from "../to-toolport-error.ts";
import type { Demand, LinkContext, LinkEffect, LinkEvent } from "./link-event.ts";
import type { LinkPolicy } from "./link-policy.ts";
import { hasSession, isUpToDate, nameOf, type LinkState, type ReadyState, type StateName } from "./link-state.ts";
import { mustList } from "./listing-transitions.ts";
import { createMachine, type Machine } from "./machine.ts";
import { beginOperation, type AnnounceOperation } from "./operation.ts";
import { createSessions, type Session, type Sessions } from "./sessions.ts";
import { createWaiters, type Waiters } from "./waiters.ts";

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
}

/** A listing from before, and for how much longer it holds. */
export interface HeldListing extends KnownServer {
  readonly leftMs: number;
}

/** How a link reports upwards. */
export interface LinkHooks extends Omit<
  ConnectionHooks,
  "known" | "onToolsChanged" | "onDown" | "onQueued" | "onStart"
> {
  /** What the server listed before this link listed anything, as long as that still holds by the server's own word. */
  readonly known: () => HeldListing | undefined;
  /** Whether a server that failed may be tried again without a call. */
  readonly mayRetry: () => boolean;
  /** Whether the latest listing that was made public is a whole one. */
  readonly hasWholeListing: () => boolean;
  /**
   * A listing came in, and is not taken note of before this has settled; `undefined`: at once. `signal` aborts when its session has ended. Must not throw or reject.
   */
  readonly beforeListed?: ((listing: ToolListing, signal: AbortSignal) => Promise<void> | undefined) | undefined;
  /** A listing is to be made public. Must not throw. */
  readonly publish: (listing: ToolListing, session: Session) => void;
  /** The state is another one. Must not throw. */
  readonly onState: (state: LinkState) => void;
  /** What begins is announced by; `undefined` while nobody wants to know. Neither must throw. */
  readonly announcer?: (() => AnnounceOperation | undefined) | undefined;
  /** Something that was done with the server is over. Must not throw. */
  readonly onRecord: (record: ServerRecord) => void;
  /** Something that must not throw has thrown; the link goes on. Must not throw. */
  readonly onDefect: (error: unknown) => void;
}

/** One registered server. Runs its state machine and owns its sessions; makes no decision of its own. */
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
  /** Waits until the demand is met. Rejects with the reason of `signal`, which ends this wait and nothing else. */
  ready(demand: Demand, signal?: AbortSignal): Promise<Session>;
  /** Reports what a call has met. */
  report(event: Extract<LinkEvent, { readonly type: "session-lost" | "refused" | "proven" }>): void;
  /** Replaces the session by one of the spec as it is now; calls on the old one may finish. */
  renew(error: ToolportError): void;
  disconnect(error: ToolportError): void;
  /** Ends the link for good; with `drain`, calls that are under way may finish until {@linkcode cut}. */
  remove(error: ToolportError, drain?: boolean): void;
  /** Ends every session at once, also those that are on their way out. */
  cut(error: ToolportError): void;
  /** Settles when no session and no attempt is left; with `butDraining`, none but sessions whose calls finish. Never rejects. */
  gone(butDraining?: boolean): Promise<void>;
}

/** Makes a link. Nothing starts before something is wanted of it. */
export function createLink(init: LinkInit): Link {
  const { clock, random, policyOf, hooks } = init;
  const parts = createParts(init, { dispatch: (event) => machine.dispatch(event), stateNow: () => machine.state });
  const { waiters } = parts;
  const { sessions } = parts;
  /** The current session while nothing has to happen before a call. Every call asks for it, so it is kept at hand. */
  let open: Session | undefined;
  const dated = dateStates(clock);
  const machine: Machine = createMachine({
    serverId: init.spec.id,
    initial: { kind: init.spec.disabled === true ? "disabled" : "idle", session: 0, run: 0 },
    policy: () => (hooks.mayRetry() ? parts.policy : { ...parts.policy, background: false }),
    clock,
    random,
    isWaiting: () => waiters.waiting,
    unusedSince: (session) => sessions.unusedSince(session),
    serverOf: (session) => describeSession(sessions.get(session)),
    hasWholeListing: hooks.hasWholeListing,
    enter(state) {
      dated.enter(state);
      const free = state.kind === "ready" && (isSettled(state) || parts.policy.refresh === "manual");
      open = free ? sessions.get(state.session) : undefined;
    },
    perform: (effect) => perform(effect, parts, machine.state),
    onState: hooks.onState,
    onDefect: hooks.onDefect,
  });
  const refresh = createBatch((tickets) => machine.dispatch({ type: "want", demand: "refresh", tickets }));

  return withGetters<Link, "state" | "spec" | "openedAt" | "since" | "busy">(
    {
      use(spec) {
        parts.spec = spec;
        parts.policy = policyOf(spec);
      },
      current() {
        const { state } = machine;
        if (open !== undefined || state.kind !== "ready") return open;
        if (mustList(state, { now: clock.now(), policy: parts.policy })) return undefined;
        return sessions.get(state.session);
      },
      ready(demand, signal) {
        const { ticket, session } = waiters.add(demand, signal);
        if (demand === "refresh") refresh(ticket);
        else machine.dispatch({ type: "want", demand, tickets: [ticket] });
        return session;
      },
      report: machine.dispatch,
      renew: (error) => machine.dispatch({ type: "renew", error }),
      disconnect(error) {
        machine.dispatch({ type: "disconnect", error });
        sessions.endAll(error);
      },
      remove(error, drain = false) {
        machine.dispatch({ type: "remove", error, drain });
        if (!drain) sessions.endAll(error);
      },
      cut: (error) => sessions.endAll(error),
      gone: (butDraining) => sessions.gone(butDraining),
    },
    {
      state: () => machine.state,
      spec: () => parts.spec,
      openedAt: () => (hasSession(machine.state) ? sessions.get(machine.state.session)?.openedAt : undefined),
      since: () => dated.since,
      busy: () => sessions.busy,
    },
  );
}

// Up to date until something happens, and not just until some time.
function isSettled(state: ReadyState): boolean {
  const isForNow = state.listing.kind === "fresh" && state.listing.until !== undefined;
  return !isForNow && isUpToDate(state, 0);
}

function describeSession(session: Session | undefined): Pick<LinkContext, "isAssumed" | "announces"> {
  const tools = session?.connection.server.capabilities["tools"];
  return {
    isAssumed: session?.connection.isAssumed === true,
    announces: isJsonObject(tools) && tools["listChanged"] === true,
  };
}

// When a session was lost, something has happened to its server.
function mayKnow(session: number): boolean {
  return session === 1;
}

/** Says until when what was listed before is still good; it is not for a server that says something else of itself. */
function withKnown(
  event: LinkEvent & { readonly type: "connected" },
  { hooks, sessions, clock }: LinkParts,
): LinkEvent {
  const known = mayKnow(event.session) ? hooks.known() : undefined;
  const connection = sessions.get(event.session)?.connection;
  if (known === undefined || connection === undefined) return event;
  const isThatOne = connection.isAssumed === true || sameJson(connection.server, known.server);
  return isThatOne ? { ...event, listedUntil: clock.now() + known.leftMs } : event;
}

/** Since when the state has the name that it has. */
interface DatedState {
  readonly since: number;
  enter(state: LinkState): void;
}

function dateStates(clock: Clock): DatedState {
  let name: StateName | undefined;
  let since = dateOf(clock);
  return withGetters<DatedState, "since">(
    {
      enter(state) {
        if (nameOf(state) === name) return;
        name = nameOf(state);
        since = dateOf(clock);
      },
    },
    { since: () => since },
  );
}

interface LinkParts {
  spec: ServerSpec;
  policy: LinkPolicy;
  readonly hooks: LinkHooks;
  readonly clock: Clock;
  readonly waiters: Waiters;
  readonly sessions: Sessions;
  readonly dispatch: (event: LinkEvent) => void;
  readonly stateNow: () => LinkState;
}

function createParts(
  { spec, hooks, clock, connector, predecessor, policyOf }: LinkInit,
  machine: Pick<LinkParts, "dispatch" | "stateNow">,
): LinkParts {
  const parts: LinkParts = {
    ...machine,
    spec,
    hooks,
    clock,
    policy: policyOf(spec),
    waiters: createWaiters(),
    sessions: createSessions({
      connector,
      clock,
      predecessor,
      onRecord: hooks.onRecord,
      announcer: () => hooks.announcer?.(),
      report: (event) => machine.dispatch(event.type === "connected" ? withKnown(event, parts) : event),
    }),
  };
  return parts;
}

function perform(effect: LinkEffect, parts: LinkParts, state: LinkState): void {
  const { hooks, sessions, spec, waiters } = parts;
  switch (effect.type) {
    case "connect":
      return sessions.open({ number: effect.session, spec, hooks: connectionHooks(effect.session, parts) });
    case "close":
      return sessions.end(effect.session, effect);
    case "list":
      return void list(effect.session, effect.run, parts);
    case "wait":
      return waiters.wait(effect.tickets, effect.run);
    case "refuse":
      return waiters.refuse(effect.tickets, effect.error);
    case "reject":
      return waiters.reject(effect.error);
    case "publish":
    case "go":
    case "release": {
      const session = sessions.get(state.session);
      // Only a state with a session has these effects.
      if (session === undefined) return;
      if (effect.type === "publish") return hooks.publish(effect.listing, session);
      return effect.type === "go" ? waiters.go(effect.tickets, session) : waiters.release(effect, session);
    }
  }
}

async function list(session: number, run: number, parts: LinkParts): Promise<void> {
  const { spec, sessions, dispatch, hooks, clock } = parts;
  const { connection, ended, peer } = sessions.get(session) ?? {};
  if (connection === undefined || ended === undefined || peer === undefined) return;
  const announce = hooks.announcer?.();
  const operation = beginOperation("list", { spec, clock, onRecord: hooks.onRecord, announce });
  operation.announce();
  try {
    const timeoutMs = spec.timeouts?.listMs;
    const watched = announce && { observer: { meta: operation.meta } };
    const listing = await connection.listTools({ timeoutMs, wants: createNameFilter(spec), ...watched });
    assertListing(listing, spec.id);
    operation.end(peer, { toolCount: listing.tools.length });
    const before = hooks.beforeListed?.(listing, ended);
    if (before !== undefined) await before;
    dispatch({ type: "listed", session, run, listing });
  } catch (reason) {
    const error = toToolportError(reason, spec.id, "tools/list");
    operation.end(peer, error);
    dispatch({ type: "list-failed", session, run, error });
  }
}

// A connector of the product's own may break its word.
function assertListing({ tools, dropped }: ToolListing, serverId: string): void {
  if (Array.isArray(tools) && Array.isArray(dropped)) return;
  throw new ToolportError("the connector's listTools() returned no listing", { code: "internal_error", serverId });
}

function connectionHooks(session: number, parts: LinkParts): ConnectionHooks {
  const { hooks, spec, dispatch } = parts;
  const { onDiagnostic, onLog, isInteractive, principal } = hooks;
  const onElicit = spec.elicitation === false ? undefined : hooks.onElicit;
  const state = parts.stateNow();
  const isForCalls = state.kind === "connecting" && state.forCalls === true;
  const held = isForCalls && mayKnow(session) ? hooks.known() : undefined;
  return {
    onToolsChanged: () => dispatch({ type: "tools-changed", session }),
    onDown: (error) => dispatch({ type: "session-lost", session, error }),
    onQueued: () => dispatch({ type: "turn", session, waits: true }),
    onStart: () => dispatch({ type: "turn", session, waits: false }),
    onFailed: (error) =>
      dispatch({ type: "connect-failed", session, error: toToolportError(error, spec.id, "connect") }),
    ...reportNews(session, parts),
    ...(onDiagnostic && { onDiagnostic }),
    ...(onLog && { onLog }),
    ...(isInteractive && { isInteractive }),
    ...(principal !== undefined && { principal }),
    ...(held && { known: { server: held.server, tools: held.tools } }),
    ...(onElicit && { onElicit }),
  };
}

type News = Pick<ConnectionHooks, "onResourcesChanged" | "onPromptsChanged" | "onResourceUpdated" | "onNotification">;

// Of the session that is in use, and of no other: what is said of an earlier one is no news any more.
function reportNews(session: number, { hooks, stateNow }: LinkParts): News {
  const whileInUse =
    <T>(hook: ((value: T) => void) | undefined) =>
    (value: T): void => {
      const state = stateNow();
      if (hasSession(state) && state.session === session) hook?.(value);
    };
  return {
    onResourcesChanged: whileInUse<void>(hooks.onResourcesChanged),
    onPromptsChanged: whileInUse<void>(hooks.onPromptsChanged),
    onResourceUpdated: whileInUse(hooks.onResourceUpdated),
    onNotification: whileInUse(hooks.onNotification),
  };
}

// Refreshes of one turn of the event loop share a listing: nothing can have changed between them.
function createBatch(flush: (tickets: readonly number[]) => void): (ticket: number) => void {
  let batch: number[] = [];
  return (ticket) => {
    batch.push(ticket);
    if (batch.length > 1) return;
    queueMicrotask(() => {
      const tickets = batch;
      batch = [];
      flush(tickets);
    });
  };
}
