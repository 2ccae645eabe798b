import type { CallAttempt, CallExchange, CallObserver, CallOptions, Clock, HostsideError } from "@hostside/core";
import { askForMeta, dateOf } from "@hostside/core/implement";
import type { Session } from "../link/sessions.ts";
import { toHostsideError } from "../to-hostside-error.ts";

/** What is noted of one call while somebody watches it. */
export class CallWatch {
  readonly attempts: CallAttempt[] = [];
  readonly #clock: Clock;
  #current: CurrentAttempt | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The call is handed to a connection now. What is returned hears of its requests. */
  begin(session: Session): CallObserver {
    const current = new CurrentAttempt(session, this.#clock);
    this.#current = current;
    return { onExchange: (exchange) => current.note(exchange) };
  }

  /** It is back. */
  end(failure: unknown, serverId: string): void {
    if (this.#current === undefined) return;
    const error = failure === undefined ? undefined : toHostsideError(failure, serverId, "tools/call");
    this.attempts.push(this.#current.read(error));
    this.#current = undefined;
  }
}

class CurrentAttempt {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #requests = 0;
  #requestId: string | number | undefined;
  #sentBytes: number | undefined;
  #receivedBytes: number | undefined;

  constructor(session: Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  note({ requestId, sentBytes, receivedBytes }: CallExchange): void {
    this.#requests += 1;
    this.#requestId ??= requestId;
    this.#sentBytes = sum(this.#sentBytes, sentBytes);
    this.#receivedBytes = sum(this.#receivedBytes, receivedBytes);
  }

  read(error: HostsideError | undefined): CallAttempt {
    const durationMs = this.#clock.now() - this.#startedAt;
    return {
      startedAt: Math.round(dateOf(this.#clock) - durationMs),
      durationMs,
      peer: this.#session.peer,
      requests: this.#requests,
      ...(this.#requestId !== undefined && { requestId: this.#requestId }),
      ...(this.#sentBytes !== undefined && { sentBytes: this.#sentBytes }),
      ...(this.#receivedBytes !== undefined && { receivedBytes: this.#receivedBytes }),
      ...(error !== undefined && { error }),
    };
  }
}

function sum(before: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? before : (before ?? 0) + more;
}

/**
 * What a connection hears of an observer: who watches the call for the provider, and what its
 * caller wants to know of tasks.
 */
export function observerOf(watching: CallObserver | undefined, { observer }: CallOptions): CallObserver | undefined {
  if (observer?.onTask === undefined && observer?.meta === undefined) return watching;
  const { onTask, meta } = observer;
  return { ...watching, onTask, meta };
}

/** The `_meta` of a call: what its caller gave, and what an observer wants to go along. */
export function observedMetaOf({ meta, observer }: CallOptions): CallOptions["meta"] {
  if (observer === undefined) return meta;
  const carried = askForMeta(observer);
  return carried === undefined ? meta : { ...meta, ...carried };
}
