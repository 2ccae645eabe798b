import { isHostsideError, type Cancel, type Connection, type Diagnostic, type Subscription } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { hasSession, mayPass, type LinkState } from "../link/link-state.ts";
import type { Session } from "../link/sessions.ts";
import type { OperationOptions } from "../api/mcp-provider.ts";
import type { ProviderParts } from "./server-reports.ts";
import { operationError, registrationEndedError } from "../errors/to-hostside-error.ts";
import type { Registration } from "./registration.ts";
import type { ServerStatus } from "../api/server-status.ts";
import type { ServerSet } from "./server-set.ts";

/**
 * The resources that the product wants to hear of, whatever becomes of the sessions with their
 * servers.
 */
export interface ResourceWatch {
  /** As the provider's `subscribeResource` says. */
  subscribe(id: string, uri: string, options: OperationOptions): Promise<Subscription>;
  /** Ends all, without a word. */
  close(): void;
}

/** What a {@linkcode ResourceWatch} is made from. */
export interface ResourceWatchInit {
  readonly parts: ProviderParts;
  readonly serverSet: ServerSet;
  /** What the product gets of a session. */
  readonly lend: (registration: Registration, session: Session) => Connection;
}

/** One subscription of the product's. */
interface Want {
  readonly uri: string;
  /** On the session that the server is bound to. */
  current: Subscription | undefined;
  /** Nobody has tried yet to subscribe to it on that session. */
  isNew: boolean;
}

interface Begun {
  readonly session: Session;
  readonly current: Subscription;
}

/**
 * What is known of one server, by its id: a registration that replaces another one goes on where
 * that one was.
 */
interface Watched {
  readonly wants: Set<Want>;
  /** The session on which the wants are subscribed, held so that it does not count as unused. */
  bound: { readonly registration: Registration; readonly session: Session } | undefined;
  isBinding: boolean;
  cancelRetry: Cancel | undefined;
  wasReady: boolean;
  /** A session ended since the server was ready. */
  wasAway: boolean;
}

/**
 * Makes one. It follows the status of each server: what was subscribed to is subscribed to again on
 * each new session, and told then as what may have changed unheard, as are the lists of resources
 * and prompts.
 */
export function createResourceWatch(init: ResourceWatchInit): ResourceWatch {
  const { parts, serverSet } = init;
  const watching: Watching = { ...init, servers: new Map() };
  const unfollow = parts.observers.status.on((status) => follow(watching, status));
  return {
    async subscribe(id, uri, { signal }) {
      const registration = serverSet.require(id);
      const { requestSeam: seam } = parts.settings;
      const begin = async (): Promise<Begun> => {
        const session = await registration.link.ready("call", signal);
        return { session, current: await init.lend(registration, session).subscribeResource(uri, { signal }) };
      };
      const asked = { serverId: id, method: "resources/subscribe", signal };
      const { session, current } = await whileSubscribing(id, signal, () =>
        seam === undefined ? begin() : seam(asked, () => begin()),
      );
      if (serverSet.get(id) === undefined) throw registrationEndedError(id, "was removed");
      const watched = watchedOf(watching, id);
      const want: Want = { uri, current: undefined, isNew: true };
      watched.wants.add(want);
      const isCurrent = serverSet.get(id) === registration && registration.link.state.session === session.number;
      if (isCurrent) bindTo(watched, registration, session);
      if (watched.bound?.session === session) want.current = current;
      // The session that is in use by now gets a subscription of its own.
      else current();
      sync(watching, id);
      const end = (): void => {
        if (!watched.wants.delete(want)) return;
        want.current?.();
        sync(watching, id);
      };
      return Object.assign(end, { [Symbol.dispose]: end });
    },
    close() {
      unfollow();
      for (const watched of watching.servers.values()) drop(watched);
      watching.servers.clear();
    },
  };
}

interface Watching extends ResourceWatchInit {
  readonly servers: Map<string, Watched>;
}

function watchedOf({ servers }: Watching, id: string): Watched {
  let watched = servers.get(id);
  if (watched === undefined) {
    watched = {
      wants: new Set(),
      bound: undefined,
      isBinding: false,
      cancelRetry: undefined,
      wasReady: false,
      wasAway: false,
    };
    servers.set(id, watched);
  }
  return watched;
}

function follow(watching: Watching, { id, state, server }: ServerStatus): void {
  if (state === "removed") {
    const watched = watching.servers.get(id);
    if (watched !== undefined) drop(watched);
    watching.servers.delete(id);
    return;
  }
  const watched = watchedOf(watching, id);
  if (state === "ready") {
    if (watched.wasAway && server !== undefined) tellListsChanged(watching, id, server.capabilities);
    watched.wasReady = true;
    watched.wasAway = false;
  } else if (watched.wasReady && state !== "needs-auth") watched.wasAway = true;
  sync(watching, id);
}

// Nobody could hear of a change while there was no session.
function tellListsChanged(
  { parts }: Watching,
  serverId: string,
  capabilities: Readonly<Record<string, unknown>>,
): void {
  const { resourcesChanged, promptsChanged } = parts.observers;
  if (isJsonObject(capabilities["resources"])) resourcesChanged.emit({ serverId });
  if (isJsonObject(capabilities["prompts"])) promptsChanged.emit({ serverId });
}

// Brings a server's subscriptions in line with its session as it is now. Idempotent.
function sync(watching: Watching, id: string): void {
  const watched = watching.servers.get(id);
  const registration = watching.serverSet.get(id);
  if (watched === undefined) return;
  const state = registration?.link.state;
  const { bound, wants } = watched;
  const isBound = bound !== undefined && bound.registration === registration && state !== undefined;
  const isLive = isBound && hasSession(state) && bound.session.number === state.session;
  if (!isLive || wants.size === 0) release(watched);
  const retryAt = state === undefined || wants.size === 0 ? undefined : retryAtOf(state);
  if (retryAt === undefined) {
    watched.cancelRetry?.();
    watched.cancelRetry = undefined;
  }
  if (registration === undefined || wants.size === 0) return;
  const isMissing =
    watched.bound === undefined ||
    Array.from(wants.values()).some(({ isNew, current }) => isNew && current === undefined);
  if (state?.kind === "ready" && isMissing && !watched.isBinding) void bind(watching, watched, registration);
  if (retryAt !== undefined) watched.cancelRetry ??= retry(watching, registration, retryAt);
}

// Whoever waits for news is as good a reason for a session as a call, also where nothing would be
// tried for nobody.
function retryAtOf(state: LinkState): number | undefined {
  return state.kind === "down" || (state.kind === "failed" && mayPass(state)) ? state.retryAt : undefined;
}

function retry(watching: Watching, { id, link }: Registration, retryAt: number): Cancel {
  const { parts, servers } = watching;
  const { clock } = parts.settings;
  return clock.schedule(Math.max(0, retryAt - clock.now()), () => {
    const watched = servers.get(id);
    if (watched !== undefined) watched.cancelRetry = undefined;
    // How it ends is told by the status, unless it did not begin.
    link.ready("call").catch(() => sync(watching, id));
  });
}

function bindTo(watched: Watched, registration: Registration, session: Session): void {
  if (watched.bound !== undefined) return;
  watched.bound = { registration, session };
  session.enter();
}

function release(watched: Watched): void {
  const { bound } = watched;
  if (bound === undefined) return;
  watched.bound = undefined;
  for (const want of watched.wants.values()) {
    want.current = undefined;
    want.isNew = true;
  }
  bound.session.leave();
}

function drop(watched: Watched): void {
  release(watched);
  watched.wants.clear();
  watched.cancelRetry?.();
  watched.cancelRetry = undefined;
}

async function bind(watching: Watching, watched: Watched, registration: Registration): Promise<void> {
  const { id, link } = registration;
  watched.isBinding = true;
  let tried: number | undefined;
  try {
    const session = await link.ready("call");
    tried = session.number;
    const isCurrent = watching.serverSet.get(id) === registration && link.state.session === session.number;
    if (!isCurrent || watching.servers.get(id) !== watched || watched.wants.size === 0) return;
    bindTo(watched, registration, session);
    const connection = watching.lend(registration, session);
    const missing = Array.from(watched.wants.values()).filter(({ current, isNew }) => isNew && current === undefined);
    for (const want of missing) want.isNew = false;
    await Promise.all(missing.map((want) => resubscribe(watching, watched, { want, connection, session, id })));
    if (watched.bound?.session !== session) return;
    for (const uri of new Set(missing.map((want) => want.uri)))
      watching.parts.observers.resourceUpdated.emit({ serverId: id, uri, maybeMissed: true });
  } catch {
    // The session was lost again; the next one is followed in the same way.
  } finally {
    watched.isBinding = false;
    // What came in the meantime: another session, or something else that is wanted.
    if (tried !== undefined && (watched.bound !== undefined || link.state.session !== tried)) sync(watching, id);
  }
}

interface Resubscription {
  readonly want: Want;
  readonly connection: Connection;
  readonly session: Session;
  readonly id: string;
}

async function resubscribe(
  { parts }: Watching,
  watched: Watched,
  { want, connection, session, id }: Resubscription,
): Promise<void> {
  try {
    const current = await connection.subscribeResource(want.uri);
    if (watched.wants.has(want) && watched.bound?.session === session) want.current = current;
    else current();
  } catch (error) {
    if (watched.bound?.session !== session) return;
    const reason = isHostsideError(error) ? error.code : "an unknown reason";
    const message = `a resource of server ${JSON.stringify(id)} could not be subscribed to again: ${reason}`;
    const diagnostic: Diagnostic = { kind: "stream-lost", serverId: id, message };
    parts.observers.diagnostic.emit(diagnostic);
  }
}

async function whileSubscribing<T>(
  serverId: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    throw operationError(reason, { serverId, operation: "subscribeResource", signal });
  }
}
