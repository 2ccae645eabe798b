import type { Clock } from "@hostside/core";

/** How long things are kept and take, and how many there may be, in a pool of whatever kind. */
export interface PoolLimits {
  /**
   * How long a provider that nobody uses is kept, in milliseconds. Default 1,800,000: half an hour,
   * about as long as a person may be away from a conversation.
   */
  readonly ttlMs?: number | undefined;
  /** How often such are looked for, in milliseconds; at least 50. Default 60,000. */
  readonly sweepMs?: number | undefined;
  /**
   * Most providers at a time, those that are ending included. One more, and the one ends that was
   * not used for the longest time and is not in use. Default 1,000.
   */
  readonly maxProviders?: number | undefined;
  /**
   * Most servers of all providers together, connected or not, those that are disabled left out.
   * Default: as many as there are; of {@linkcode createSharedProviders} 4,000.
   */
  readonly maxConnections?: number | undefined;
  /**
   * Most of these that are processes (`stdio`). Default: as many as there are; of
   * {@linkcode createSharedProviders} 250.
   */
  readonly maxProcesses?: number | undefined;
  /**
   * How long a request waits while all that would make room is in use, in milliseconds, before it
   * is refused with `overloaded`. Default 0: at once.
   */
  readonly waitMs?: number | undefined;
  /** How long `make` may take, in milliseconds. Default 60,000. */
  readonly makeMs?: number | undefined;
  /**
   * How long calls that are with a server may take when their provider is disposed of or their
   * server is changed, in milliseconds. Default 5,000.
   */
  readonly drainMs?: number | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}
