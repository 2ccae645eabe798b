import { HostsideError, type Clock } from "@hostside/core";
import { formatMs, storeFailed } from "@hostside/core/implement";
import type { StateEngineHealth } from "./state-engine-health.ts";

/** One request to an engine. */
export interface EngineRequest<T> {
  /** What is done, for errors: `reading "pins"`. */
  readonly what: string;
  /** Whether it changes anything: then it is unknown whether it did, when there is no answer. */
  readonly effect: "read" | "write";
  /**
   * Sends it. `signal` aborts when nobody waits any more; then it rejects with
   * {@linkcode NotSentError} at once if it is still here.
   */
  readonly send: (signal: AbortSignal) => Promise<T>;
  /** Sends it also to an engine that is down, and to one that is closed here. */
  readonly insists?: boolean;
  /** Is told of an answer that nobody waits for any more. */
  readonly onLate?: (answer: T) => void;
}

/** Sends requests within a deadline. Rejects with `store_failed`, or with `closed`. */
export interface EngineClient {
  ask<T>(request: EngineRequest<T>): Promise<T>;
  /** Refuses requests from now on. */
  close(): void;
}

/** What a client is made from. */
export interface EngineClientInit {
  readonly engine: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly watch: StateEngineHealth;
  /** Whether an error is an answer of an engine that works. */
  readonly isAnswer: (error: unknown) => boolean;
}

/** A request that certainly never left. */
export class NotSentError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : "it was not sent", { cause });
  }
}

/** See {@linkcode EngineClient}. */
export function createEngineClient(init: EngineClientInit): EngineClient {
  const { engine, watch } = init;
  let isClosed = false;
  return {
    async ask(request) {
      if (request.insists !== true) {
        if (isClosed) throw new HostsideError(`the shared state over ${engine} is closed`, { code: "closed" });
        const waitMs = watch.waitMs();
        if (waitMs > 0) throw downError(engine, request.what, waitMs);
      }
      return new Promise((resolve, reject) => new Waiting(init, request, { resolve, reject }).start());
    },
    close: () => void (isClosed = true),
  };
}

interface Settling<T> {
  readonly resolve: (answer: T) => void;
  readonly reject: (reason: HostsideError) => void;
}

/** One who waits for the answer to a request. */
class Waiting<T> {
  readonly #init: EngineClientInit;
  readonly #request: EngineRequest<T>;
  readonly #settling: Settling<T>;
  readonly #controller = new AbortController();
  #isOver = false;
  #isLate = false;

  constructor(init: EngineClientInit, request: EngineRequest<T>, settling: Settling<T>) {
    this.#init = init;
    this.#request = request;
    this.#settling = settling;
  }

  start(): void {
    const { clock, timeoutMs } = this.#init;
    const cancel = clock.schedule(timeoutMs, () => void this.#giveUp());
    const send = async (): Promise<T> => this.#request.send(this.#controller.signal);
    send()
      .then(
        (answer) => this.#answered(answer),
        (error: unknown) => this.#failed(error),
      )
      .finally(cancel);
  }

  #answered(answer: T): void {
    if (this.#isOver) return this.#request.onLate?.(answer);
    this.#isOver = true;
    this.#init.watch.worked("requests");
    this.#settling.resolve(answer);
  }

  #failed(error: unknown): void {
    if (this.#isOver) return;
    const isHere = error instanceof NotSentError;
    const said = isHere ? error.cause : error;
    if (!this.#isLate && this.#init.isAnswer(said)) {
      // It refused, and did nothing.
      this.#isOver = true;
      this.#init.watch.worked("requests");
      return this.#settling.reject(storeFailed(`${this.#text} failed`, said));
    }
    this.#end(this.#isLate ? undefined : said, isHere);
  }

  async #giveUp(): Promise<void> {
    this.#isLate = true;
    this.#controller.abort();
    // Who can take it back says so at once, in a few turns of promises.
    for (let turn = 0; turn < 20 && !this.#isOver; turn += 1) await Promise.resolve();
    if (!this.#isOver) this.#end(undefined, false);
  }

  #end(reason: unknown, isHere: boolean): void {
    this.#isOver = true;
    const outcome = this.#request.effect === "write" && !isHere ? "unknown" : "not-sent";
    const what = this.#isLate ? `took more than ${formatMs(this.#init.timeoutMs)}` : "failed";
    const error = storeFailed(`${this.#text} ${what}`, reason, outcome);
    this.#init.watch.failed("requests", error, this.#isLate ? "at-once" : "when-again");
    this.#settling.reject(error);
  }

  get #text(): string {
    return `${this.#request.what} in ${this.#init.engine}`;
  }
}

function downError(engine: string, what: string, waitMs: number): HostsideError {
  return new HostsideError(
    `${what} was not tried: ${engine} did not answer, and is asked again in ${formatMs(waitMs)}`,
    {
      code: "store_failed",
      details: { retryAfterMs: Math.ceil(waitMs), backOff: true },
    },
  );
}
