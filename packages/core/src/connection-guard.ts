import type { StdioEntry } from "./server-spec.ts";

/** A no to a connection, or to the start of a process. */
export interface GuardRefusal {
  /** Why, after what it is about: `is a loopback address`. For people; without secrets. */
  readonly reason: string;
  /** Which rule decided, by the name that its owner gave it. */
  readonly rule: string;
}

/** On whose behalf something is about to be connected to, or started. */
export interface GuardedServer {
  /** The server's, also for what is asked of its authorization server. */
  readonly serverId: string;
  /** As whoever connects said it. */
  readonly principal?: string | undefined;
}

/**
 * Decides where connections may go, and what may be started. A connector that has one asks it in
 * the same step in which it connects, each time: a name that had a harmless address before changes
 * nothing. A refusal fails with `not_allowed`, and nothing was sent. Its functions decide at once,
 * do nothing else, and return `undefined` for yes. A guard that throws refuses, with
 * `internal_error`.
 */
export interface ConnectionGuard {
  /**
   * Before each request to this URL: of the server itself, of its authorization server, of every
   * document about them. Redirects are not followed, so there are no others.
   */
  checkUrl(url: URL, server: GuardedServer): GuardRefusal | undefined;
  /**
   * Before each connection: the address that will be connected to, in the system's spelling.
   * Refused addresses of a name with several are not used. `undefined`: whoever makes the
   * connection does not say which, as with a `fetch`.
   */
  checkAddress(address: string | undefined, url: URL, server: GuardedServer): GuardRefusal | undefined;
  /** Before each start of a process. */
  checkCommand(process: StdioEntry, server: GuardedServer): GuardRefusal | undefined;
}
