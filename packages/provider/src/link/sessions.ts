import {
  defaultTimeouts,
  isHostsideError,
  HostsideError,
  type Connection,
  type Connector,
  type ServerPeer,
  type ServerSpec,
} from "@hostside/core";
import { clock, settleWithin, withErrorContext, type ConnectionHooks } from "@hostside/core/implement";
import { toHostsideError } from "../errors/to-hostside-error.ts";
import type { LinkEvent } from "./link-state.ts";
import { Operation, describePeer, type OperationHost, type OperationInit } from "./operation.ts";
import { isForgotten } from "./session-transitions.ts";

/** One attempt to get a session. */
export interface SessionAttempt {
  readonly number: number;
  readonly spec: ServerSpec;
  readonly hooks: ConnectionHooks;
}

/** Why and how a session ends. */
export interface SessionEnding {
  readonly error: HostsideError;
  readonly drain?: boolean;
}

interface Entry {
  readonly abort: AbortController;
  session?: Session;
  endedBy?: HostsideError;
  draining: boolean;
  inFlight: number;
  usedAt: number;
  /** Settles when the connection is to be closed; `close` makes it. */
  readonly closing: Promise<void>;
  readonly close: () => void;
  /** Settles when nothing of the session is left. */
  gone: Promise<void>;
}

/** The parts for the sessions of a link. */
export interface SessionsInit {
  readonly connector: Connector;
  /**
   * Settles when whatever had this server's id before is gone, which has a bound of its own; no
   * session starts earlier.
   */
  readonly predecessor: Promise<void> | undefined;
  readonly host: SessionsHost;
}

/** The owner of the sessions. None of it may throw. */
export interface SessionsHost extends OperationHost {
  /** Called with what has become of a session. */
  sessionEvent(event: Extract<LinkEvent, { readonly type: "connected" | "connect-failed" | "session-lost" }>): void;
}

/**
 * The sessions of one link: at most one is wanted, others may still be on their way out. There are
 * none at first.
 */
export class Sessions {
  readonly #init: SessionsInit;
  readonly #entries = new Map<number, Entry>();
  #predecessor: Promise<void> | undefined;

  constructor(init: SessionsInit) {
    this.#init = init;
    this.#predecessor = init.predecessor;
    void this.#predecessor?.finally(() => {
      this.#predecessor = undefined;
    });
  }

  /** Says whether anything is under way on any of them, or subscribed to. */
  get busy(): boolean {
    return Array.from(this.#entries.values()).some(({ inFlight }) => inFlight > 0);
  }

  /** The session of this number, once it is connected and until it is gone. */
  get(number: number): Session | undefined {
    return this.#entries.get(number)?.session;
  }

  /** When the latest call on a session ended; `undefined` while one is under way. */
  unusedSince(number: number): number | undefined {
    const entry = this.#entries.get(number);
    return entry === undefined || entry.inFlight > 0 ? undefined : entry.usedAt;
  }

  /** Starts an attempt, after all earlier sessions are gone but for those that drain. */
  open(attempt: SessionAttempt): void {
    const earlier = this.#allGone(true);
    const entry = createEntry();
    this.#entries.set(attempt.number, entry);
    entry.gone = this.#live(entry, attempt, earlier);
  }

  /** Gives up an attempt or closes a session; with `drain`, when its calls are done. */
  end(number: number, ending: SessionEnding): void {
    const entry = this.#entries.get(number);
    if (entry) endEntry(entry, ending);
  }

  /** Ends everything, at once. */
  endAll(error: HostsideError): void {
    for (const entry of this.#entries.values()) endEntry(entry, { error });
  }

  /**
   * Settles when nothing is left; with `butDraining`, when nothing is but sessions whose calls
   * finish. Never rejects.
   */
  async gone(butDraining: boolean = false): Promise<void> {
    await Promise.all([this.#predecessor, this.#allGone(butDraining)]);
  }

  async #live(entry: Entry, attempt: SessionAttempt, earlier: Promise<unknown>): Promise<void> {
    const { host } = this.#init;
    const { number, spec, hooks } = attempt;
    try {
      if (this.#predecessor !== undefined) {
        // However long the last of what was there before may take: that is no time of the attempt.
        hooks.onQueued?.();
        await this.#predecessor;
        hooks.onStart?.();
      }
      // No end takes longer, unless a connector breaks its word; then the server must not be lost
      // for good.
      const closeMs = spec.timeouts?.closeMs ?? defaultTimeouts.closeMs;
      if (this.#entries.size > 1) await settleWithin(earlier, sessionCloseMs(closeMs));
      entry.abort.signal.throwIfAborted();
      const connection = await connect(attempt, entry.abort.signal, this.#init);
      entry.session = new Session(connection, entry, { number, spec, host });
    } catch (reason) {
      this.#entries.delete(number);
      const error = toHostsideError(reason, spec.id, "connect");
      return host.sessionEvent({ type: "connect-failed", session: number, error });
    }
    const { peer, connection } = entry.session;
    const operation = new Operation("session", { spec, host });
    host.sessionEvent({ type: "connected", session: number });
    // Not awaited here: all that this function has in hand would wait as well, for as long as the
    // session lives.
    return whenClosing(entry, async () => {
      operation.end(peer, entry.endedBy);
      await closeQuietly(connection, entry.endedBy);
      this.#entries.delete(number);
    });
  }

  #allGone(butDraining: boolean): Promise<unknown> {
    const entries = Array.from(this.#entries.values());
    return Promise.all(entries.flatMap(({ draining, gone }) => (butDraining && draining ? [] : [gone])));
  }
}

function whenClosing({ closing }: Entry, end: () => Promise<void>): Promise<void> {
  return closing.then(end);
}

async function connect(
  { number, spec, hooks }: SessionAttempt,
  signal: AbortSignal,
  { connector, host }: SessionsInit,
): Promise<Connection> {
  const begin = (): Operation => new Operation("connect", { spec, host });
  let attempt = begin();
  let isQueued = false;
  const onQueued = (): void => {
    isQueued = true;
    hooks.onQueued?.();
  };
  const onStart = (): void => {
    // What came before was no time of the attempt.
    attempt = begin();
    hooks.onStart?.();
  };
  const watched = host.announcer() && { requestMeta: () => attempt.meta() };
  try {
    const opening = connector.connect(spec, { ...hooks, onQueued, onStart, ...watched }, signal);
    if (!isQueued) attempt.announce();
    const connection: unknown = await opening;
    assertConnection(connection, spec.id);
    attempt.end(describePeer(spec, number, connection));
    return connection;
  } catch (reason) {
    attempt.end(describePeer(spec, number), toHostsideError(reason, spec.id, "connect"));
    throw reason;
  }
}

function createEntry(): Entry {
  let close = (): void => {};
  const closing = new Promise<void>((resolve) => {
    close = resolve;
  });
  const abort = new AbortController();
  return { abort, draining: false, inFlight: 0, usedAt: 0, closing, close, gone: Promise.resolve() };
}

function endEntry(entry: Entry, { error, drain = false }: SessionEnding): void {
  entry.endedBy = error;
  entry.abort.abort(error);
  entry.draining = drain && entry.inFlight > 0;
  if (!entry.draining) entry.close();
}

interface SessionParts extends OperationInit {
  readonly number: number;
  readonly host: SessionsHost;
}

/** A live session, as calls see it. */
export class Session {
  readonly number: number;
  readonly connection: Connection;
  /** How its server is spoken with. */
  readonly peer: ServerPeer;
  /** When it was connected, in milliseconds since 1970. */
  readonly openedAt: number;
  readonly #entry: Entry;
  readonly #init: Omit<SessionParts, "number">;

  constructor(connection: Connection, entry: Entry, { number, ...init }: SessionParts) {
    this.number = number;
    this.connection = connection;
    this.peer = describePeer(init.spec, number, connection);
    this.openedAt = clock.date();
    this.#entry = entry;
    this.#init = init;
  }

  /** Why this host ended it; `undefined` while it has not. */
  get endedBy(): HostsideError | undefined {
    return this.#entry.endedBy;
  }

  /**
   * Does something for somebody outside of the provider, which counts as use of the session. Throws
   * when the session was ended, also while calls finish on it.
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    assertInUse(this);
    this.enter();
    try {
      return await work(this.connection);
    } catch (error) {
      // As of a call: whoever asks for the connection next gets another one, however late this one
      // says that it is over.
      if (isHostsideError(error) && isForgotten(error))
        this.#init.host.sessionEvent({ type: "session-lost", session: this.number, error });
      throw error;
    } finally {
      this.leave();
    }
  }

  /** Counts a call, so that a session that drains knows when it is empty. */
  enter(): void {
    this.#entry.inFlight += 1;
  }

  leave(): void {
    const entry = this.#entry;
    entry.inFlight -= 1;
    entry.usedAt = clock.now();
    if (entry.draining && entry.inFlight === 0) entry.close();
  }
}

/**
 * Throws why the session was ended, for what is not sent on it any more; also while what was sent
 * finishes.
 */
export function assertInUse({ endedBy }: Pick<Session, "endedBy">): void {
  if (endedBy !== undefined) throw withErrorContext(endedBy, { outcome: "not-sent" });
}

// A connector of the product's own may break its word.
function assertConnection(value: unknown, serverId: string): asserts value is Connection {
  if (typeof value === "object" && value !== null && "listTools" in value && "callTool" in value) return;
  throw new HostsideError("the connector's connect() returned no connection", { code: "internal_error", serverId });
}

async function closeQuietly(connection: Connection, reason: HostsideError | undefined): Promise<void> {
  try {
    await connection.close(reason?.rawMessage);
  } catch {
    // `close` never rejects by contract. A connector that breaks it must not break the next session
    // of its server.
  }
}

/**
 * How long the end of a session is waited for, in milliseconds. A connection closes within three
 * steps of `closeMs`; twice that is for one that breaks its word.
 */
export function sessionCloseMs(closeMs: number): number {
  return 6 * closeMs;
}
