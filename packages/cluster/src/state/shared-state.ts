import type { Event, Lock, Notices, Store, HostsideError } from "@hostside/core";
import type { LimitStore } from "@hostside/policy";

/** The state that replicas of a host share, over one engine. */
export interface SharedState extends AsyncDisposable {
  /** Answers as the engine does, or rejects with `store_failed`: never from memory. */
  readonly store: Store;
  /** Gives every holder a fencing token that {@linkcode store} knows. */
  readonly lock: Lock;
  readonly notices: Notices;
  /**
   * Counts rates and budgets for all replicas. How many calls are under way together is counted in
   * each process by itself.
   */
  readonly limitStore: LimitStore;
  /** Fires once when the engine cannot be used, and once when it can again. */
  readonly onDiagnostic: Event<StateDiagnostic>;
  /**
   * Ends what was opened here: subscriptions, their connection, timers, and the locks that are
   * held, whose work's signal aborts. The client that was handed over stays open. Requests are
   * rejected with `closed` from now on. Idempotent; bounded by `timeoutMs`.
   */
  close(): Promise<void>;
}

/** A change of an engine's health, for operators. */
export interface StateDiagnostic {
  /**
   * `engine-down`: it does not answer, or notices do not arrive. `engine-back`: it all works again.
   * They come in turns.
   */
  readonly kind: "engine-down" | "engine-back";
  /** One sentence with the evidence. */
  readonly message: string;
  /** The first failure, with `engine-down`. */
  readonly error?: HostsideError;
}

/** Options of every shared state. */
export interface SharedStateOptions {
  /**
   * In front of every name in the engine. Default `"hostside:"`. Hosts with the same engine and
   * prefix share everything that is kept there.
   */
  readonly prefix?: string | undefined;
  /** How long one request to the engine may take, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long anybody waits for a lock, in milliseconds; then they are refused with `overloaded`.
   * Default 60,000.
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * How long a lock stays with a holder of whom nothing is heard, in milliseconds: one that was
   * killed, stands still or cannot reach the engine. Default 10,000; whoever is there says so each
   * third of it. A shorter lease ends sooner.
   */
  readonly holderTimeoutMs?: number | undefined;
}
