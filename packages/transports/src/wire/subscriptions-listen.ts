import { HostsideError, type HostsideErrorCode, type JsonObject } from "@hostside/core";
import { clock, formatMs, isJsonObject, onAbort } from "@hostside/core/implement";
import { type MetaSource, asHostsideError, carriedMeta } from "../message/outgoing-request.ts";
import { fromRpcError } from "../message/from-rpc-error.ts";
import type { Transport } from "../message/transport.ts";
import type { ServerContext } from "../context/server-context.ts";
import { readAnswer, tellCancelled, toOwnId } from "./rpc-messages.ts";

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

/** The parts of {@linkcode ListenStreams}. */
export interface SubscriptionsInit {
  readonly transport: Transport;
  readonly context: ServerContext;
  /** Gives more for the `_meta` of the request. */
  readonly opening?: MetaSource | undefined;
  /** The `_meta` of every message. */
  readonly envelope: () => JsonObject | undefined;
}

interface Stream {
  readonly open: (honoredFilter: unknown) => void;
  readonly end: (how: StreamEnd, error: unknown) => void;
}

const method = "subscriptions/listen";
// Out of the way of the other requests, which are counted up from somewhere far below; and a
// number, because some servers mishandle text.
const leastFirstId = 2 ** 30;
const mostFirstIds = 2 ** 29;

/**
 * The `subscriptions/listen` requests of a 2026-07-28 connection: each is open for as long as the
 * server has something to tell.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class ListenStreams {
  readonly #init: SubscriptionsInit;
  readonly #streams = new Map<unknown, Stream>();
  readonly #firstId = leastFirstId + Math.floor(Math.random() * mostFirstIds);
  #nextId = this.#firstId;

  constructor(init: SubscriptionsInit) {
    this.#init = init;
  }

  /**
   * Opens a stream, which lives until `signal` aborts. Resolves when the server acknowledged it.
   */
  listen(filter: ChangeFilter, signal: AbortSignal): Promise<OpenedStream> {
    const { transport, context, envelope, opening } = this.#init;
    const timeoutMs = context.settings.timeouts.requestMs;
    const id = this.#nextId++;
    const leaving = new AbortController();
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      let onClosed: (how: StreamEnd) => void = () => undefined;
      const closed = new Promise<StreamEnd>((settle) => (onClosed = settle));
      const end = (how: StreamEnd, error: unknown): void => {
        if (!this.#streams.delete(id)) return;
        cancelTimer();
        ignoreAbort();
        leaving.abort();
        onClosed(how);
        // Without effect once the stream was acknowledged.
        reject(error);
      };
      const giveUp = (how: StreamEnd, error: unknown): void => {
        end(how, error);
        // Over HTTP, closing the response stream is the cancel; elsewhere the server has to be
        // told.
        void tellCancelled(this.#init, id, {});
      };
      const ignoreAbort = onAbort(signal, () => giveUp("local", signal.reason));
      const cancelTimer = clock.schedule(timeoutMs, () =>
        giveUp("remote", lost(context, `was not acknowledged within ${formatMs(timeoutMs)}`, "request_timeout")),
      );
      const open = (honoredFilter: unknown): void => {
        cancelTimer();
        resolve({ closed, honoredFilter });
      };
      this.#streams.set(id, { open, end });
      const params = { _meta: { ...(opening && carriedMeta(opening)), ...envelope() }, notifications: { ...filter } };
      const sending = transport.send({ jsonrpc: "2.0", id, method, params }, { requestSignal: leaving.signal });
      sending.catch((error: unknown) => end("remote", asHostsideError(context, error)));
    });
  }

  /** Takes the server's answer, which ends the stream. `false`: none has this id. */
  answer(id: unknown, message: JsonObject): boolean {
    const { context } = this.#init;
    const stream = this.#streams.get(id);
    if (stream === undefined) return false;
    const answer = readAnswer(message);
    if (answer.kind === "error") stream.end("remote", fromRpcError(answer.error, { ...context, method }));
    else if (answer.kind === "malformed")
      stream.end("remote", lost(context, `was answered with something malformed: ${answer.reason}`));
    else stream.end("graceful", lost(context, "was ended by the server before it began"));
    return true;
  }

  /** Ends a stream whose answer will never come. Without effect where none has this id. */
  fail(id: unknown, error: HostsideError): void {
    this.#streams.get(id)?.end("remote", error);
  }

  /** True for an id that was handed out here, whether or not its stream is still open. */
  issued(id: number): boolean {
    return id >= this.#firstId && id < this.#nextId;
  }

  /** The server says that it listens. */
  acknowledge(params: JsonObject | undefined): void {
    const meta = params?.["_meta"];
    const id = isJsonObject(meta) ? meta["io.modelcontextprotocol/subscriptionId"] : undefined;
    this.#streams.get(toOwnId(id))?.open(params?.["notifications"]);
  }

  /** The server takes a subscription back. */
  cancel(id: unknown): void {
    this.fail(id, lost(this.#init.context, "was cancelled by the server"));
  }

  /** The connection is gone. */
  failAll(error: HostsideError): void {
    for (const stream of Array.from(this.#streams.values())) stream.end("remote", error);
  }
}

function lost({ serverId }: ServerContext, how: string, code: HostsideErrorCode = "connection_closed"): HostsideError {
  return new HostsideError(`${method} on server ${JSON.stringify(serverId)} ${how}`, {
    code,
    serverId,
    details: { operation: method },
  });
}
