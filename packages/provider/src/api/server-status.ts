import type { HostsideError, HttpEntry, ServerInfo, ServerPeer, ToolListing } from "@hostside/core";

/**
 * `idle` no session, none wanted yet; `connecting` until the first listing is in; `ready`; `down`
 * the session was lost, the next call gets another one; `failed` the latest attempt failed, the
 * next one may not; `needs-auth` credentials are missing or refused; `disabled`; `removed` only in
 * the last `onStatusChanged` of a registration.
 */
export type ServerState = "idle" | "connecting" | "ready" | "down" | "failed" | "needs-auth" | "disabled" | "removed";

/**
 * What is known of one server, at one moment. Plain data, safe to log: no header, environment value
 * or token is in it.
 */
export interface ServerStatus {
  readonly id: string;
  /** As the spec says, else as the server claims (untrusted). */
  readonly title?: string;
  readonly transport: ServerPeer["transport"];
  /**
   * Whose credentials it is asked with, as its spec says: `oauth` for one that a user can be asked
   * to sign in to. Absent: those of the spec, if any.
   */
  readonly auth?: HttpEntry["auth"];
  readonly state: ServerState;
  /** When it came into this state: milliseconds since 1970, for `new Date()`. */
  readonly since: number;
  /**
   * Why it is not `ready`, or why its tools could not be listed again. Stays while it is tried
   * again, until something works: then a server that is `connecting` still says what its latest
   * attempt failed with.
   */
  readonly error?: HostsideError;
  /** What failed. */
  readonly stage?: "connect" | "list" | "session" | "call";
  /** Tools on offer now. */
  readonly toolCount: number;
  /**
   * The tools on offer may not be the server's latest: it announced a change, or could not be asked
   * since.
   */
  readonly stale: boolean;
  /** Why the latest listing is not the whole one. */
  readonly degraded?: NonNullable<ToolListing["truncated"]>;
  /** Tools of the latest listing that could not be used; `onDiagnostic` said why. */
  readonly droppedTools: number;
  /** What the server says of itself; of the latest session. Untrusted. */
  readonly server?: ServerInfo;
  /** When the session was connected: milliseconds since 1970, for `new Date()`. */
  readonly connectedAt?: number;
  /** How long connecting took, every fallback included. */
  readonly connectMs?: number;
  /** How long the latest good listing took. */
  readonly listMs?: number;
  /** When the latest good listing came in: milliseconds since 1970, for `new Date()`. */
  readonly listedAt?: number;
  /** Sessions asked for so far. */
  readonly attempts: number;
  /** Failures in a row. */
  readonly failures: number;
  /**
   * From when on a failure is no longer held against the next attempt: milliseconds since 1970, for
   * `new Date()`. Absent when that time has come. Whether there is an attempt then that nobody asks
   * for is another question: of a server that is `down` there is one while something is subscribed
   * to.
   */
  readonly retryAt?: number;
  /** Calls on the wire. */
  readonly inFlight: number;
  /** Calls that wait for the session, for a listing or for their turn. */
  readonly waiting: number;
}
