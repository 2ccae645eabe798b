import { isHostsideError, type Cancel, type Connection, type Diagnostic, type Subscription } from "@hostside/core";
import { clock, isJsonObject } from "@hostside/core/implement";
import type { OperationOptions, ServerStatus } from "../api/mcp-provider.ts";
import { asOperation, registrationEndedError } from "../errors/to-hostside-error.ts";
import { hasSession, mayPass, type LinkState } from "../link/link-state.ts";
import type { Session } from "../link/sessions.ts";
import type { Registration } from "./registration.ts";
import type { Lend, ProviderContext } from "./server-set.ts";

/** One subscription of the product's. */
interface Want {
  readonly uri: string;
  /** On the session that the server is bound to. */
  current: Subscription | undefined;
  /** Nobody has tried yet to subscribe to it on that session. */
  isNew: boolean;
}

/**
 * The known facts about one server, by its id: a registration that replaces another one goes on
 * where that one was.
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
 * The resources that the product wants to hear of, whatever becomes of the sessions with their
 * servers. It follows the status of each server: what was subscribed to is subscribed to again on
 * each new session, and told then as what may have changed unheard, as are the lists of resources
 * and prompts.
 */
export class ResourceWatch {
  readonly #context: ProviderContext;
  readonly #lend: Lend;
  readonly #servers = new Map<string, Watched>();
  readonly #unfollow: Cancel;

  constructor(context: ProviderContext, lend: Lend) {
    this.#context = context;
    this.#lend = lend;
    this.#unfollow = context.observers.status.on((status) => this.#follow(status));
  }

  /** Does what the provider's `subscribeResource` says. */
  async subscribe(id: string, uri: string, { signal }: OperationOptions): Promise<Subscription> {
    const { settings, serverSet } = this.#context;
    const registration = serverSet.require(id);
    const { requestSeam: seam } = settings;
    const begin = async (): Promise<readonly [Session, Subscription]> => {
      const session = await registration.link.untilReady("call", signal);
      return [session, await this.#lend(registration, session).subscribeResource(uri, { signal })];
    };
    const method = "resources/subscribe";
    const [session, current] = await asOperation({ serverId: id, operation: "subscribeResource", signal }, () =>
      seam === undefined ? begin() : seam({ serverId: id, method, signal }, () => begin()),
    );
    if (serverSet.get(id) === undefined) throw registrationEndedError(id, "was removed");
    const watched = this.#watchedOf(id);
    const want: Want = { uri, current: undefined, isNew: true };
    watched.wants.add(want);
    const isCurrent = serverSet.get(id) === registration && registration.link.state.session === session.number;
    if (isCurrent) bindTo(watched, registration, session);
    if (watched.bound?.session === session) want.current = current;
    // The session that is in use by now gets a subscription of its own.
    else current();
    this.#sync(id);
    const end = (): void => {
      if (!watched.wants.delete(want)) return;
      want.current?.();
      this.#sync(id);
    };
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** Ends all, without a word. */
  close(): void {
    this.#unfollow();
    for (const watched of this.#servers.values()) drop(watched);
    this.#servers.clear();
  }

  #watchedOf(id: string): Watched {
    let watched = this.#servers.get(id);
    if (watched === undefined) {
      watched = {
        wants: new Set(),
        bound: undefined,
        isBinding: false,
        cancelRetry: undefined,
        wasReady: false,
        wasAway: false,
      };
      this.#servers.set(id, watched);
    }
    return watched;
  }

  #follow({ id, state, server }: ServerStatus): void {
    if (state === "removed") {
      const watched = this.#servers.get(id);
      if (watched !== undefined) drop(watched);
      this.#servers.delete(id);
      return;
    }
    const watched = this.#watchedOf(id);
    if (state === "ready") {
      if (watched.wasAway && server !== undefined) this.#tellListsChanged(id, server.capabilities);
      watched.wasReady = true;
      watched.wasAway = false;
    } else if (watched.wasReady && state !== "needs-auth") watched.wasAway = true;
    this.#sync(id);
  }

  // Nobody could hear of a change while there was no session.
  #tellListsChanged(serverId: string, capabilities: Readonly<Record<string, unknown>>): void {
    const { resourcesChanged, promptsChanged } = this.#context.observers;
    if (isJsonObject(capabilities["resources"])) resourcesChanged.emit({ serverId });
    if (isJsonObject(capabilities["prompts"])) promptsChanged.emit({ serverId });
  }

  // Brings a server's subscriptions in line with its session as it is now. Idempotent.
  #sync(id: string): void {
    const watched = this.#servers.get(id);
    const registration = this.#context.serverSet.get(id);
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
    if (state?.kind === "ready" && isMissing && !watched.isBinding) void this.#bind(watched, registration);
    if (retryAt !== undefined) watched.cancelRetry ??= this.#retry(registration, retryAt);
  }

  #retry({ id, link }: Registration, retryAt: number): Cancel {
    return clock.schedule(Math.max(0, retryAt - clock.now()), () => {
      const watched = this.#servers.get(id);
      if (watched !== undefined) watched.cancelRetry = undefined;
      // How it ends is told by the status, unless it did not begin.
      link.untilReady("call").catch(() => this.#sync(id));
    });
  }

  async #bind(watched: Watched, registration: Registration): Promise<void> {
    const { serverSet, observers } = this.#context;
    const { id, link } = registration;
    watched.isBinding = true;
    let tried: number | undefined;
    try {
      const session = await link.untilReady("call");
      tried = session.number;
      const isCurrent = serverSet.get(id) === registration && link.state.session === session.number;
      if (!isCurrent || this.#servers.get(id) !== watched || watched.wants.size === 0) return;
      bindTo(watched, registration, session);
      const connection = this.#lend(registration, session);
      const missing = Array.from(watched.wants.values()).filter(({ current, isNew }) => isNew && current === undefined);
      for (const want of missing) want.isNew = false;
      await Promise.all(missing.map((want) => this.#resubscribe(watched, { want, connection, session, id })));
      if (watched.bound?.session !== session) return;
      for (const uri of new Set(missing.map((want) => want.uri)))
        observers.resourceUpdated.emit({ serverId: id, uri, maybeMissed: true });
    } catch {
      // The session was lost again; the next one is followed in the same way.
    } finally {
      watched.isBinding = false;
      // What came in the meantime: another session, or something else that is wanted.
      if (tried !== undefined && (watched.bound !== undefined || link.state.session !== tried)) this.#sync(id);
    }
  }

  async #resubscribe(watched: Watched, { want, connection, session, id }: Resubscription): Promise<void> {
    try {
      const current = await connection.subscribeResource(want.uri);
      if (watched.wants.has(want) && watched.bound?.session === session) want.current = current;
      else current();
    } catch (error) {
      if (watched.bound?.session !== session) return;
      const reason = isHostsideError(error) ? error.code : "an unknown reason";
      const message = `a resource of server ${JSON.stringify(id)} could not be subscribed to again: ${reason}`;
      const diagnostic: Diagnostic = { kind: "stream-lost", serverId: id, message };
      this.#context.observers.diagnose(diagnostic);
    }
  }
}

// Whoever waits for news is as good a reason for a session as a call, also where nothing would be
// tried for nobody.
function retryAtOf(state: LinkState): number | undefined {
  return state.kind === "down" || (state.kind === "failed" && mayPass(state)) ? state.retryAt : undefined;
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

interface Resubscription {
  readonly want: Want;
  readonly connection: Connection;
  readonly session: Session;
  readonly id: string;
}
