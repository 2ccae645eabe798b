import type { CallContext } from "./call-context.ts";
import type { ServerPeer } from "./server-peer.ts";
import type { ToolOrigin } from "./tool.ts";
import type { HostsideError } from "./hostside-error.ts";

/**
 * What became of one call at its server: one record for each time that a call came to the queue of
 * its server. So a call that an interceptor refused or answered itself has none, nor has one for
 * which there was no room or whose tool was gone; and one that an interceptor tried twice has two:
 * `context.correlationId` shows which belong together. Holds neither arguments nor results.
 */
export interface CallRecord {
  readonly origin: ToolOrigin;
  /** As the caller gave it, without the token of an approval. */
  readonly context?: CallContext;
  /** When it came to the queue: milliseconds since 1970, for `new Date()`. */
  readonly startedAt: number;
  /** From then to its end, in milliseconds. */
  readonly durationMs: number;
  /** How much of that it waited before it was sent: the sum of the next three. */
  readonly queueMs: number;
  /**
   * For a session: while one was opened, by itself or by somebody else, or an earlier one ended.
   */
  readonly connectMs: number;
  /** For a listing, because the tools were not known, or known to be old. */
  readonly listMs: number;
  /** For its turn, behind other calls of the server. */
  readonly turnMs: number;
  /**
   * How often it was handed to a connection: 0 when it never was, 2 when it was sent once more
   * after a proof that it had not run.
   */
  readonly sends: number;
  /** Each of those times, in order. */
  readonly attempts: readonly CallAttempt[];
  /**
   * `ok`; `tool-error` when the tool itself said that it failed; `error` when the call was
   * rejected.
   */
  readonly result: "ok" | "tool-error" | "error";
  /** What it was rejected with. */
  readonly error?: HostsideError;
}

/** One time that a call was handed to a connection. */
export interface CallAttempt {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly peer: ServerPeer;
  /**
   * JSON-RPC requests that it took: several where the server asked a question, or made a task of
   * it. 0 where the connection does not say.
   */
  readonly requests: number;
  /** The id of the first of them. */
  readonly requestId?: string | number;
  /**
   * Of all of them, as JSON in UTF-8, without headers and frames. Absent where the connection does
   * not say.
   */
  readonly sentBytes?: number;
  /**
   * Of the answers, as {@linkcode sentBytes}; progress and other messages on the way are not
   * counted.
   */
  readonly receivedBytes?: number;
  /** Why it ended, if not with a result. */
  readonly error?: HostsideError;
}
