import { HostsideError, type JsonObject } from "@hostside/core";
import { clock, isJsonObject, pause } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { asHostsideError, withCarriedMeta, type MetaSource, type RequestChannel } from "../message/outgoing-request.ts";
import { streamLost } from "../wire/outgoing-requests.ts";

/** The changes that a server is to tell of, as `subscriptions/listen` names it. */
export interface ChangeFilter {
  readonly toolsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** A stream that the server acknowledged. */
export interface OpenedStream {
  /**
   * Resolves with the one who ended it: this host; the server, with an answer; or something else.
   */
  readonly closed: Promise<StreamEnd>;
  /**
   * The changes that the server will tell of: at most what was asked for. Its own word, unchecked;
   * absent when it said nothing.
   */
  readonly honoredFilter?: unknown;
}

type StreamEnd = "local" | "graceful" | "remote";

/** The input of {@linkcode ChangeStream}. */
export interface ChangeStreamInit {
  readonly context: ServerContext;
  /** Opens a stream, as {@linkcode listen} does. */
  readonly listen: (filter: ChangeFilter, signal: AbortSignal) => Promise<OpenedStream>;
  /** The lists that are wanted as long as there is a stream. */
  readonly lists: Omit<ChangeFilter, "resourceSubscriptions">;
  /** Whatever is wanted may have changed unheard: the stream was lost, or opened late. */
  readonly onGap: () => void;
  /**
   * When the first stream may be opened, unless a resource is wanted earlier. Until then nothing
   * counts as missed. Default: at once.
   */
  readonly after?: Promise<void> | undefined;
}

// A listing that starts before the stream is open can miss a change. Most servers open it at once;
// the others are listed twice.
const longestWaitMs = 1000;
const shortestBackoffMs = 500;
const longestBackoffMs = 30_000;
const methodNotFound = -32_601;

/** A resource that somebody waits for. */
interface Asked {
  readonly resolve: () => void;
  readonly reject: (error: HostsideError) => void;
}

/**
 * The one stream on which a 2026-07-28 server says what changed, opened again whenever it is lost.
 * While nothing is wanted there is none. When something else is wanted, another stream is opened
 * and only then the one before left, so that nothing is missed between the two.
 */
export class ChangeStream {
  /**
   * Resolves when the first stream is open, or when that is no longer waited for. Never rejects.
   */
  readonly ready: Promise<void>;
  readonly #init: ChangeStreamInit;
  readonly #closing = new AbortController();
  /** Resources that the server agreed to tell of. */
  readonly #resources = new Set<string>();
  readonly #asked = new Map<string, Asked>();
  #stream: (Pick<OpenedStream, "closed"> & { readonly openedAt: number; readonly leave: () => void }) | undefined;
  #isBegun = false;
  /** Something else is wanted than the latest stream was asked for. */
  #isDirty = false;
  /** Resources are asked for one by one: together they were refused. */
  #isCareful = false;
  /** The next stream is one without resources: with them it was refused. */
  #isReduced = false;
  /** Changes since the last time that all was read may not have been told. */
  #missedSome = false;
  /** Why nothing can be wanted any more. */
  #over: HostsideError | undefined;
  #onReady: () => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor(init: ChangeStreamInit) {
    this.#init = init;
    this.ready = new Promise((resolve) => (this.#onReady = resolve));
    if (init.after !== undefined || !this.#wantsAnything()) this.#onReady();
    else {
      const cancelWait = clock.schedule(longestWaitMs, () => {
        this.#missedSome = true;
        this.#onReady();
      });
      void this.ready.then(cancelWait);
    }
    if (init.after === undefined) this.#begin();
    else void init.after.then(() => this.#begin());
  }

  /** Wants the updates of a resource as well. Resolves when the server agreed. */
  addResource(uri: string): Promise<void> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#asked.set(uri, { resolve, reject });
      this.#begin();
      this.#change();
    });
  }

  /** Wants them no longer. Rejects what still waits for it with `aborted`. */
  removeResource(uri: string): void {
    const asked = this.#asked.get(uri);
    this.#asked.delete(uri);
    asked?.reject(this.#error("aborted", "was asked to tell of a resource that is not wanted any more"));
    if (this.#resources.delete(uri) || asked !== undefined) this.#change();
  }

  /** Ends it for good; what waits is rejected with `error`. Idempotent. */
  close(error: HostsideError = this.#error("closed", "was left: the connection was closed")): void {
    this.#end(error);
    this.#onReady();
    this.#closing.abort(error);
  }

  #begin(): void {
    if (!this.#isBegun) void this.#keepListening();
    this.#isBegun = true;
  }

  #wantsAnything(): boolean {
    return Object.keys(this.#init.lists).length + this.#resources.size + this.#asked.size > 0;
  }

  #change(): void {
    this.#isDirty = true;
    this.#wake();
  }

  #end(error: HostsideError): void {
    this.#over ??= error;
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
    this.#wake();
  }

  async #keepListening(): Promise<void> {
    for (let losses = 0; this.#over === undefined;) {
      const stream = this.#stream;
      if (!this.#wantsAnything()) {
        stream?.leave();
        this.#stream = undefined;
        await this.#untilWoken();
        continue;
      }
      if (stream === undefined || this.#isDirty) {
        if (await this.#openNext()) continue;
      } else {
        const end = await Promise.race([stream.closed, this.#untilWoken()]);
        if (end === undefined || end === "local") continue;
        // A stream that lasted starts the backoff over; one that the server closes at once must not
        // become a storm.
        if (clock.now() - stream.openedAt > longestBackoffMs) losses = 0;
        this.#stream = undefined;
        this.#lose(end === "graceful" ? "was closed by the server" : "broke off");
      }
      const backoffMs = Math.min(longestBackoffMs, shortestBackoffMs * 2 ** losses);
      losses += 1;
      // Half of it is chance, so that many hosts do not come back to a restarted server at once.
      await pause(backoffMs * (0.5 + Math.random() / 2), this.#closing.signal);
    }
  }

  #untilWoken(): Promise<undefined> {
    return new Promise((resolve) => (this.#wake = () => resolve(undefined)));
  }

  // `false`: the server is to be left alone for a while.
  async #openNext(): Promise<boolean> {
    const { context, lists, onGap } = this.#init;
    const asked = this.#isReduced ? [] : Array.from(this.#asked).slice(0, this.#isCareful ? 1 : Infinity);
    const uris = this.#isReduced ? [] : [...this.#resources, ...asked.map(([uri]) => uri)];
    const leaving = new AbortController();
    const filter = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) };
    const signal = AbortSignal.any([this.#closing.signal, leaving.signal]);
    this.#isDirty = false;
    try {
      const { closed, honoredFilter } = await this.#init.listen(filter, signal);
      this.#stream?.leave();
      this.#stream = { openedAt: clock.now(), closed, leave: () => leaving.abort() };
      if (this.#missedSome) onGap();
      this.#missedSome = false;
      this.#takeAgreement(asked, honoredFilter);
      return true;
    } catch (cause) {
      return this.#over !== undefined || this.#takeRefusal(asked, asHostsideError(context, cause));
    } finally {
      this.#isDirty ||= this.#asked.size > 0;
      this.#isCareful &&= this.#asked.size > 0;
      this.#onReady();
    }
  }

  #takeAgreement(asked: readonly (readonly [uri: string, asked: Asked])[], honored: unknown): void {
    const agreed = agreedResources(honored);
    for (const [uri, each] of asked) {
      // Nobody wants it any more.
      if (this.#asked.get(uri) !== each) continue;
      this.#asked.delete(uri);
      if (agreed(uri)) {
        this.#resources.add(uri);
        each.resolve();
      } else each.reject(this.#notOffered());
    }
    this.#reportLost(Array.from(this.#resources).filter((uri) => this.#isReduced || !agreed(uri)).length);
    this.#isReduced = false;
  }

  // What was asked for now is what may be wrong. `false`: the server is to be left alone for a
  // while.
  #takeRefusal(asked: readonly (readonly [uri: string, asked: Asked])[], error: HostsideError): boolean {
    const hasLists = Object.keys(this.#init.lists).length > 0;
    const { rpcCode } = error.details;
    if (rpcCode === methodNotFound) {
      this.#end(this.#notOffered());
      this.#stream?.leave();
      if (hasLists) this.#report(`${this.#server()} announces changes but offers no stream for them`);
      return true;
    }
    if (rpcCode !== undefined && asked.length > 1) {
      this.#isCareful = true;
      return true;
    }
    for (const [uri, each] of asked) {
      if (this.#asked.get(uri) === each) this.#asked.delete(uri);
      each.reject(error);
    }
    // The stream that there is goes on, with more than is wanted.
    if (asked.length > 0 || this.#stream !== undefined) return true;
    // One resource that the server will not hear of any more must not cost everything else: the
    // next stream is one without them, and with the next change they are asked for again.
    this.#isReduced = rpcCode !== undefined && hasLists && !this.#isReduced && this.#resources.size > 0;
    this.#lose(`could not be opened: ${error.rawMessage}`);
    return false;
  }

  #lose(how: string): void {
    // Told once per gap, however often opening fails within it; when the stream is back, there is a
    // second listing to be had.
    if (!this.#missedSome) {
      this.#report(`the change stream of ${this.#server()} ${how}; it will be opened again`);
      this.#init.onGap();
    }
    this.#missedSome = true;
  }

  #reportLost(count: number): void {
    const what = `does not tell of changes of ${count} resources any more that were subscribed to`;
    if (count > 0) this.#report(`${this.#server()} ${what}`);
  }

  #report(message: string): void {
    const { serverId, onDiagnostic } = this.#init.context;
    onDiagnostic({ kind: "stream-lost", serverId, message });
  }

  #server(): string {
    return `server ${JSON.stringify(this.#init.context.serverId)}`;
  }

  #notOffered(): HostsideError {
    return this.#error("unsupported_operation", "does not tell of changes of this resource");
  }

  #error(code: "aborted" | "closed" | "unsupported_operation", what: string): HostsideError {
    return new HostsideError(`${this.#server()} ${what}`, { code, serverId: this.#init.context.serverId });
  }
}

// A server that says nothing of what it agreed to is taken to have agreed.
function agreedResources(honored: unknown): (uri: string) => boolean {
  if (!isJsonObject(honored)) return () => true;
  const { resourceSubscriptions: agreed } = honored;
  const uris = new Set<unknown>(Array.isArray(agreed) ? agreed : []);
  return (uri) => uris.has(uri);
}

/**
 * Makes what opens a stream of changes, which is a request of 2026-07-28 that goes on for as long
 * as the server has something to tell, and until its `signal` aborts. It resolves when the server
 * acknowledged it. `opening` gives more for the `_meta` of the request.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function createListen(
  channel: Pick<RequestChannel, "request">,
  { serverId, settings }: ServerContext,
  opening: MetaSource | undefined,
): ChangeStreamInit["listen"] {
  return (filter, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const params: JsonObject = { notifications: { ...filter } };
      const over = channel.request({
        method: "subscriptions/listen",
        params: withCarriedMeta(params, opening),
        timeoutMs: settings.timeouts.requestMs,
        timeoutCode: "request_timeout",
        signal,
        onAcknowledged: (honoredFilter) => resolve({ closed, honoredFilter }),
      });
      // Rejecting has no effect once the stream was acknowledged.
      const closed = over.then(
        (): StreamEnd => {
          reject(streamLost(serverId, "was ended by the server before it began"));
          return "graceful";
        },
        (error: unknown): StreamEnd => {
          reject(signal.aborted ? signal.reason : error);
          return signal.aborted ? "local" : "remote";
        },
      );
    });
}
