import { HostsideError, type JsonObject } from "@hostside/core";
import { clock, formatMs, isJsonObject } from "@hostside/core/implement";
import { carriedMeta, type MetaSource } from "../message/outgoing-request.ts";
import type { ChangeFilter, ListeningClient, OpenedStream } from "../message/listening-client.ts";
import { fromRpcError } from "../message/from-rpc-error.ts";
import type { Transport } from "../message/transport.ts";
import { readAnswer } from "./read-answer.ts";
import { asHostsideError } from "../message/request-errors.ts";
import { toOwnId } from "./to-request-message.ts";
import type { ServerContext } from "../context/server-context.ts";

/** What {@linkcode ListenStreams} are made from. */
export interface SubscriptionsInit {
  readonly transport: Transport;
  readonly context: ServerContext;
  /** What else goes along in that of the request. */
  readonly opening?: MetaSource | undefined;
  /** The `_meta` of every message. */
  readonly envelope: () => JsonObject | undefined;
}

type End = "local" | "graceful" | "remote";

interface Stream {
  readonly open: (honoredFilter: unknown) => void;
  readonly end: (how: End, error: HostsideError) => void;
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
export class ListenStreams implements ListeningClient {
  readonly #init: SubscriptionsInit;
  readonly #streams = new Map<unknown, Stream>();
  readonly #firstId: number;
  #nextId: number;

  constructor(init: SubscriptionsInit) {
    this.#init = init;
    this.#firstId = leastFirstId + Math.floor(init.context.random() * mostFirstIds);
    this.#nextId = this.#firstId;
  }

  listen(
    filter: ChangeFilter,
    { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
  ): Promise<OpenedStream> {
    const { transport, context, envelope, opening } = this.#init;
    const streams = this.#streams;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const id = this.#nextId++;
      const leaving = new AbortController();
      let onClosed: (how: End) => void = () => undefined;
      const closed = new Promise<End>((settle) => {
        onClosed = settle;
      });
      const onAbort = (): void => {
        end("local", signal.reason as Error);
        void tellCancelled(this.#init, id);
      };
      const cancelTimer = clock.schedule(timeout, () => {
        end("remote", lost(context, `was not acknowledged within ${formatMs(timeout)}`, "request_timeout"));
        void tellCancelled(this.#init, id);
      });
      function end(how: End, error: Error): void {
        if (!streams.delete(id)) return;
        cancelTimer();
        signal.removeEventListener("abort", onAbort);
        leaving.abort();
        onClosed(how);
        // Without effect once the stream was acknowledged.
        reject(error);
      }
      signal.addEventListener("abort", onAbort, { once: true });
      streams.set(id, {
        open(honoredFilter) {
          cancelTimer();
          resolve({ closed, honoredFilter });
        },
        end,
      });
      const params = { _meta: { ...(opening && carriedMeta(opening)), ...envelope() }, notifications: { ...filter } };
      const sending = transport.send({ jsonrpc: "2.0", id, method, params }, { requestSignal: leaving.signal });
      sending.then(undefined, (error: unknown) => end("remote", asHostsideError(context, error)));
    });
  }

  /** The server answered: that is the end of the stream. `false`: none has this id. */
  answer(id: unknown, message: JsonObject): boolean {
    const { context } = this.#init;
    const stream = this.#streams.get(id);
    if (stream === undefined) return false;
    const answer = readAnswer(message);
    if (answer.kind === "error") return this.fail(id, fromRpcError(answer.error, { ...context, method }));
    if (answer.kind === "malformed")
      return this.fail(id, lost(context, `was answered with something malformed: ${answer.reason}`));
    stream.end("graceful", lost(context, "was ended by the server before it began"));
    return true;
  }

  /** The stream's answer will never come. `false`: none has this id. */
  fail(id: unknown, error: HostsideError): boolean {
    const stream = this.#streams.get(id);
    stream?.end("remote", error);
    return stream !== undefined;
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

// Over HTTP, closing the response stream is the cancel; elsewhere the server has to be told.
async function tellCancelled({ transport, envelope }: SubscriptionsInit, id: number): Promise<void> {
  if (transport.hasPerRequestStream === true) return;
  try {
    const params = { _meta: { ...envelope() }, requestId: id };
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  } catch {
    // Only a courtesy: on this side the subscription is over.
  }
}

function lost(
  { serverId }: ServerContext,
  how: string,
  code: "connection_closed" | "request_timeout" = "connection_closed",
): HostsideError {
  return new HostsideError(`${method} on server ${JSON.stringify(serverId)} ${how}`, {
    code,
    serverId,
    details: { operation: method },
  });
}
