import type { HostsideError, HostsideErrorCode } from "@hostside/core";
import { clock, withErrorContext } from "@hostside/core/implement";

const firstMs = 1000;
const longestMs = 60_000;
// What a server may ask for: a user who waits is worth an attempt after that.
const longestAskedMs = 300_000;

const hostsOwn: ReadonlySet<HostsideErrorCode> = new Set(["aborted", "closed", "store_failed"]);

/**
 * Tells whether a failure is the host's own, and says nothing of the server that was to be asked.
 */
export function isHostsOwn({ code }: HostsideError): boolean {
  return hostsOwn.has(code);
}

/**
 * Keeps an authorization server from being asked again right after it failed. Failures are in
 * memory: each process backs off by itself.
 */
export class BackOff {
  #latest: { readonly credential: string; readonly error: HostsideError; readonly until: number } | undefined;
  #failures = 0;

  /** The latest failure while it is too early to ask again with the same; else `undefined`. */
  current(credential: string): HostsideError | undefined {
    const leftMs = (this.#latest?.until ?? 0) - clock.now();
    if (this.#latest === undefined || this.#latest.credential !== credential || leftMs <= 0) return undefined;
    const details = { backOff: true, retryAfterMs: Math.ceil(leftMs) } as const;
    return withErrorContext(this.#latest.error, { outcome: "not-sent", details });
  }

  /**
   * Another failure with this credential. Its error says how long the server wants to be left
   * alone.
   */
  failed(credential: string, error: HostsideError): void {
    const { retryAfterMs = 0 } = error.details;
    this.#failures = this.#latest?.credential === credential ? this.#failures + 1 : 1;
    const ownMs = Math.min(firstMs * 2 ** (this.#failures - 1), longestMs);
    const until = clock.now() + Math.max(ownMs, Math.min(retryAfterMs, longestAskedMs));
    this.#latest = { credential, error, until };
  }

  succeeded(): void {
    this.#latest = undefined;
  }
}
