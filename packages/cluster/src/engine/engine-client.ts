import { HostsideError, type Event } from "@hostside/core";
import { clock, createEvent, formatMs, storeFailed, type EventSource } from "@hostside/core/implement";

/** One request to an engine. */
export interface EngineRequest<T> {
  /** The operation, for errors: `reading "pins"`. */
  readonly what: string;
  /** The effect of a write that failed is unknown, unless the engine refused it. */
  readonly effect: "read" | "write";
  /** Sends it. `signal` aborts when nobody waits any more: then nothing may be sent. */
  readonly send: (signal: AbortSignal) => Promise<T>;
  /** Sends it also to an engine that is down, and to one that is closed here. */
  readonly insists?: boolean;
  /** Is told of an answer that nobody waits for any more. */
  readonly onLate?: (answer: T) => void;
}

/** The health of an engine. */
export interface EngineHealth {
  readonly state: "down" | "up";
  /** One sentence with the evidence. */
  readonly message: string;
  /** The first failure, with `down`. */
  readonly error?: HostsideError;
}

/** Parts of {@linkcode EngineClient}. */
export interface EngineClientInit {
  /** For people: `Redis`. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Tells if an error is an answer of an engine that works. */
  readonly isAnswer: (error: unknown) => boolean;
}

// One request in so many milliseconds tries an engine that is down, so that the others need not
// wait for their deadline each.
const probeEveryMs = 1000;

/**
 * Sends requests within a deadline, and knows whether the engine can be used. It is taken to be up.
 */
export class EngineClient {
  readonly #init: EngineClientInit;
  readonly #health: Health;
  #isClosed = false;

  constructor(init: EngineClientInit) {
    this.#init = init;
    this.#health = new Health(init.name);
  }

  /** Fires once when requests or notices fail, and once when all of it works again. */
  get onHealth(): Event<EngineHealth> {
    return this.#health.changes.on;
  }

  /** Rejects with `store_failed`, or with `closed`. */
  async ask<T>(request: EngineRequest<T>): Promise<T> {
    const { name } = this.#init;
    if (request.insists !== true) {
      if (this.#isClosed) throw new HostsideError(`the shared state over ${name} is closed`, { code: "closed" });
      const waitMs = this.#health.waitMs();
      if (waitMs > 0) throw downError(name, request.what, waitMs);
    }
    return send(this.#init, request, this.#health);
  }

  /** Says whether notices arrive: `undefined` when they do, or are not wanted. */
  setNotices(error: HostsideError | undefined): void {
    if (error === undefined) this.#health.worked("notices");
    else this.#health.failed("notices", error, true);
  }

  /** Refuses requests from now on. */
  close(): void {
    this.#isClosed = true;
    this.#health.changes.close();
  }
}

function send<T>(init: EngineClientInit, request: EngineRequest<T>, health: Health): Promise<T> {
  const { timeoutMs, isAnswer, name } = init;
  const text = `${request.what} in ${name}`;
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (what: string, reason: unknown, isLate: boolean): void => {
      isOver = true;
      const error = storeFailed(`${text} ${what}`, reason, request.effect === "write" ? "unknown" : "not-sent");
      health.failed("requests", error, isLate);
      reject(error);
    };
    const giveUp = (): void => {
      end(`took more than ${formatMs(timeoutMs)}`, undefined, true);
      controller.abort();
    };
    const answered = (answer: T): void => {
      if (isOver) return request.onLate?.(answer);
      isOver = true;
      health.worked("requests");
      resolve(answer);
    };
    const failed = (error: unknown): void => {
      if (isOver) return;
      if (!isAnswer(error)) return end("failed", error, false);
      // It refused, and did nothing.
      isOver = true;
      health.worked("requests");
      reject(storeFailed(`${text} failed`, error));
    };
    const cancel = clock.schedule(timeoutMs, giveUp);
    const sending = async (): Promise<T> => request.send(controller.signal);
    sending().then(answered, failed).finally(cancel);
  });
}

type EnginePart = "requests" | "notices";

class Health {
  readonly changes: EventSource<EngineHealth> = createEvent<EngineHealth>();
  readonly #name: string;
  readonly #down = new Set<EnginePart>();
  #downSince = 0;
  #failures = 0;
  #nextProbeAt = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Milliseconds until anybody may ask it again; 0: now, and whoever asks tries it for all. */
  waitMs(): number {
    const leftMs = this.#down.has("requests") ? this.#nextProbeAt - clock.now() : 0;
    if (leftMs > 0) return leftMs;
    this.#nextProbeAt = clock.now() + probeEveryMs;
    return 0;
  }

  worked(part: EnginePart): void {
    if (part === "requests") this.#failures = 0;
    if (!this.#down.delete(part) || this.#down.size > 0) return;
    const message = `${this.#name} can be used again, after ${formatMs(clock.now() - this.#downSince)}`;
    this.changes.emit({ state: "up", message });
  }

  /** `isSure`: one failure is enough to leave it alone for a while; else the second in a row. */
  failed(part: EnginePart, error: HostsideError, isSure: boolean): void {
    if (part === "requests") {
      this.#failures += 1;
      this.#nextProbeAt = clock.now() + probeEveryMs;
      if (!isSure && this.#failures < 2) return;
    }
    const isNews = this.#down.size === 0;
    this.#down.add(part);
    if (!isNews) return;
    this.#downSince = clock.now();
    const what = part === "requests" ? "cannot be used" : "sends no notices";
    this.changes.emit({ state: "down", message: `${this.#name} ${what}: ${error.rawMessage}`, error });
  }
}

function downError(engine: string, what: string, waitMs: number): HostsideError {
  return new HostsideError(
    `${what} was not tried: ${engine} did not answer, and is asked again in ${formatMs(waitMs)}`,
    { code: "store_failed", details: { retryAfterMs: Math.ceil(waitMs), backOff: true } },
  );
}
