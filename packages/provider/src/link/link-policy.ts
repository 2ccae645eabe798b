import type { Random, HostsideError } from "@hostside/core";

/** When a changed tool list is read again: see `ProviderOptions.refresh`. */
export type RefreshMode = "lazy" | "debounced" | "manual";

/** The numbers that a link's transitions depend on, all in milliseconds but for the counts. */
export interface LinkPolicy {
  readonly refresh: RefreshMode;
  readonly debounceMs: number;
  readonly maxDelayMs: number;
  readonly backoffBaseMs: number;
  readonly backoffMaxMs: number;
  readonly freeAttempts: number;
  readonly background: boolean;
  readonly stableMs: number;
  /** How long a session may go unused; `Infinity` for ever. */
  readonly idleMs: number;
  /** When a connection attempt that has not even failed is given up. */
  readonly connectBackstopMs: number;
  /** The same for a listing. */
  readonly listBackstopMs: number;
}

/**
 * How long to wait after `failures` failures in a row: anything from nothing to a ceiling that
 * doubles each time, up to a cap. This "full jitter" spreads the retries of many hosts best:
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoffMs(failures: number, policy: LinkPolicy, random: Random): number {
  // 2 ** 30 times any base is above any cap; a larger exponent would become Infinity.
  const ceiling = Math.min(policy.backoffMaxMs, policy.backoffBaseMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return random() * ceiling;
}

/**
 * How long the server itself asks to be left alone (`Retry-After`), up to the same cap; 0 when it
 * does not.
 */
export function askedMs({ details }: HostsideError, { backoffMaxMs }: LinkPolicy): number {
  return Math.min(details.retryAfterMs ?? 0, backoffMaxMs);
}
