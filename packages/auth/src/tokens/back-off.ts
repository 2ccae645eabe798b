import type { HostsideError, HostsideErrorCode } from "@hostside/core";
import { clock, withErrorContext } from "@hostside/core/implement";

/** Keeps an authorization server from being asked again right after it failed. */
export interface BackOff {
  /** The latest failure while it is too early to ask again with the same; else `undefined`. */
  current(credential: string): HostsideError | undefined;
  /**
   * Another failure with this credential. Its error says how long the server wants to be left
   * alone.
   */
  failed(credential: string, error: HostsideError): void;
  succeeded(): void;
}

const firstMs = 1000;
const longestMs = 60_000;
// What a server may ask for: a user who waits is worth an attempt after that.
const longestAskedMs = 300_000;

const hostsOwn: ReadonlySet<HostsideErrorCode> = new Set(["aborted", "closed", "store_failed"]);

/** Whether a failure is the host's own, and says nothing of the server that was to be asked. */
export function isHostsOwn({ code }: HostsideError): boolean {
  return hostsOwn.has(code);
}

/**
 * Makes one that has seen no failure. Failures are in memory: each process backs off by itself.
 */
export function createBackOff(): BackOff {
  let latest: { readonly credential: string; readonly error: HostsideError; readonly until: number } | undefined;
  let failures = 0;
  return {
    current(credential) {
      const leftMs = (latest?.until ?? 0) - clock.now();
      if (latest === undefined || latest.credential !== credential || leftMs <= 0) return undefined;
      const details = { backOff: true, retryAfterMs: Math.ceil(leftMs) } as const;
      return withErrorContext(latest.error, { outcome: "not-sent", details });
    },
    failed(credential, error) {
      const { retryAfterMs = 0 } = error.details;
      failures = latest?.credential === credential ? failures + 1 : 1;
      const waitMs = Math.max(
        Math.min(firstMs * 2 ** (failures - 1), longestMs),
        Math.min(retryAfterMs, longestAskedMs),
      );
      latest = { credential, error, until: clock.now() + waitMs };
    },
    succeeded() {
      latest = undefined;
    },
  };
}
