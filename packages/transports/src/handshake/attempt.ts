import type { HostsideError } from "@hostside/core";

/**
 * How a connection attempt finds the era: `probe` asks with `server/discover` and takes what comes,
 * `legacy` goes straight to `initialize`, `modern` insists on 2026-07-28.
 */
export type Handshake = "probe" | "legacy" | "modern";

/** One try at a server: over which channel, with which handshake. */
export interface ConnectAttempt {
  readonly channel: "stdio" | "streamable" | "sse" | "memory" | "custom";
  readonly handshake: Handshake;
  /** The server is told of no capability of the client: it refused `initialize` with some. */
  readonly isBare?: true | undefined;
}

/** An attempt that failed, and how. */
export interface FailedAttempt extends ConnectAttempt {
  readonly error: HostsideError;
  /** Why the probe before `initialize` did not do. */
  readonly refusal?: HostsideError | undefined;
  /** It came to `initialize`: at once, or after a probe that found no modern server. */
  readonly didInitialize: boolean;
  /** The stream of the old HTTP+SSE was open. */
  readonly hadStream?: boolean;
}
