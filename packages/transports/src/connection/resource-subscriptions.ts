import {
  HostsideError,
  isHostsideError,
  type CallOutcome,
  type RequestOptions,
  type ServerInfo,
  type Subscription,
} from "@hostside/core";
import { createDeadline, formatMs, isJsonObject, untilAborted } from "@hostside/core/implement";
import type { ChangeStream } from "./change-stream.ts";
import type { ServerContext } from "../context/server-context.ts";
import { withCarriedMeta, type MetaSource, type RequestChannel } from "../message/outgoing-request.ts";
import { longestUri } from "../wire/report-changes.ts";

/**
 * How a server is asked for the updates of one resource. Neither is called again for a resource
 * before the other is done with it.
 */
export interface ResourceSource {
  /**
   * Resolves when the server agreed. Rejects when it did not, or did not answer in time. The
   * `_meta` of the source is sent along if this is a request of its own.
   */
  readonly begin: (uri: string, source?: MetaSource) => Promise<void>;
  /** Resolves when the server was told, as far as that is possible. Never rejects. */
  readonly end: (uri: string) => Promise<void>;
}

/** A resource that somebody wants, or that the server is just being told of. */
interface Entry {
  holders: number;
  /** Settles when the server has agreed. */
  begun: Promise<void>;
}

/** The resources of one connection that are subscribed to. */
export class ResourceSubscriptions {
  readonly #context: ServerContext;
  readonly #source: ResourceSource;
  readonly #entries = new Map<string, Entry>();
  /**
   * The subscriptions that are being ended; a new beginning waits for it, or the two could arrive
   * in the wrong order.
   */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(context: ServerContext, source: ResourceSource) {
    this.#context = context;
    this.#source = source;
  }

  /** As core's `Connection.subscribeResource` says. */
  async subscribe(uri: string, options: RequestOptions): Promise<Subscription> {
    const { serverId, settings } = this.#context;
    const { maxResourceSubscriptions } = settings.limits;
    if (typeof uri !== "string" || uri === "") throw new TypeError("subscribeResource() needs the URI of a resource");
    if (uri.length > longestUri) {
      const message = `the URI of a resource of server ${JSON.stringify(serverId)} is longer than ${longestUri} UTF-16 units`;
      throw new HostsideError(message, { code: "invalid_arguments", serverId });
    }
    if (options.signal?.aborted) throw abortError(serverId, options.signal.reason, "not-sent");
    const known = this.#entries.get(uri);
    if (known === undefined && this.#entries.size + this.#ending.size >= maxResourceSubscriptions) {
      const message = `${maxResourceSubscriptions} resources of server ${JSON.stringify(serverId)} are subscribed to, and no more may be`;
      throw new HostsideError(message, { code: "overloaded", serverId });
    }
    const entry = known ?? this.#begin(uri, options.observer);
    entry.holders += 1;
    try {
      await within(entry.begun, options, this.#context);
    } catch (error) {
      this.#leave(uri, entry);
      throw error;
    }
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#leave(uri, entry);
    };
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /**
   * The URIs that somebody wants, agreed to or not yet: the first update may come together with the
   * server's word.
   */
  uris(): readonly string[] {
    return Array.from(this.#entries.keys());
  }

  #begin(uri: string, observer: MetaSource | undefined): Entry {
    const entry: Entry = { holders: 0, begun: Promise.resolve() };
    const work = async (): Promise<void> => {
      await this.#ending.get(uri);
      try {
        await this.#source.begin(uri, observer);
      } catch (error) {
        if (this.#entries.get(uri) === entry) this.#entries.delete(uri);
        throw error;
      }
    };
    this.#entries.set(uri, entry);
    entry.begun = work();
    // Whoever waits hears of it; perhaps nobody does any more.
    entry.begun.catch(() => undefined);
    return entry;
  }

  #leave(uri: string, entry: Entry): void {
    entry.holders -= 1;
    if (entry.holders > 0 || this.#entries.get(uri) !== entry) return;
    this.#entries.delete(uri);
    const tell = async (): Promise<void> => {
      const [begun] = await Promise.allSettled([entry.begun]);
      if (begun.status === "fulfilled") await this.#source.end(uri);
      if (this.#ending.get(uri) === ended) this.#ending.delete(uri);
    };
    const ended = tell();
    this.#ending.set(uri, ended);
  }
}

async function within(
  work: Promise<void>,
  { signal, timeoutMs: given }: RequestOptions,
  { serverId, settings }: ServerContext,
): Promise<void> {
  const timeoutMs = given ?? settings.timeouts.requestMs;
  const onTimeout = (): HostsideError => {
    const message = `server ${JSON.stringify(serverId)} did not agree to tell of a resource within ${formatMs(timeoutMs)}`;
    return new HostsideError(message, { code: "request_timeout", serverId, details: { timeoutMs } });
  };
  const deadline = createDeadline({ timeoutMs, signal, onTimeout });
  try {
    await untilAborted(work, deadline.signal);
  } catch (cause) {
    if (!signal?.aborted || isHostsideError(cause)) throw cause;
    throw abortError(serverId, cause, "unknown");
  } finally {
    deadline.dispose();
  }
}

function abortError(serverId: string, cause: unknown, outcome: CallOutcome): HostsideError {
  const message = `the subscription to a resource of server ${JSON.stringify(serverId)} was aborted`;
  return new HostsideError(message, { code: "aborted", serverId, outcome, cause });
}

/** The input of {@linkcode chooseResourceSource}. */
interface ResourceSourceInit {
  readonly context: ServerContext;
  readonly server: ServerInfo;
  readonly channel: RequestChannel;
  /** There on 2026-07-28. */
  readonly stream: ChangeStream | undefined;
}

/**
 * Chooses how this server is asked for updates of its resources: on its change stream, by a request
 * of earlier revisions, or not at all, because it does not say that it has any.
 */
export function chooseResourceSource({ context, server, channel, stream }: ResourceSourceInit): ResourceSource {
  const { serverId, settings } = context;
  const { resources } = server.capabilities;
  if (!isJsonObject(resources) || resources["subscribe"] !== true) {
    const message = `server ${JSON.stringify(serverId)} does not tell of changes of its resources`;
    const refuse = async (): Promise<never> => {
      throw new HostsideError(message, { code: "unsupported_operation", serverId });
    };
    return { begin: refuse, end: refuse };
  }
  if (stream !== undefined) {
    return { begin: (uri) => stream.addResource(uri), end: async (uri) => stream.removeResource(uri) };
  }
  const timeoutMs = settings.timeouts.requestMs;
  const ask = async (method: string, uri: string, source?: MetaSource): Promise<void> => {
    const params = withCarriedMeta({ uri }, source);
    await channel.request({ method, params, timeoutMs, timeoutCode: "request_timeout" });
  };
  return {
    begin: (uri, source) => ask("resources/subscribe", uri, source),
    // That nobody cares for it any more is told as a courtesy.
    end: (uri) => ask("resources/unsubscribe", uri).catch(() => undefined),
  };
}
