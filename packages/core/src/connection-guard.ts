import { HostsideError } from "./hostside-error.ts";
import { isJsonObject } from "./json.ts";
import type { StdioEntry } from "./server-spec.ts";
import { cleanText } from "./text.ts";

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

/** A question to a guard. */
export interface GuardQuestion {
  readonly server: GuardedServer;
  /** The action that is asked about, for people; of a URL, to connect to it. */
  readonly what: string | URL;
  /** The spec's field that it is in, where it is in one. */
  readonly field?: string | undefined;
  readonly ask: (server: GuardedServer) => GuardRefusal | undefined;
}

/**
 * The error with which a guard refuses, or `undefined` for yes: `not_allowed`, and for a guard that
 * throws or answers what is neither yes nor no, `internal_error`. Nothing was sent, and nothing was
 * started.
 */
export function findGuardRefusal({ server, what, field, ask }: GuardQuestion): HostsideError | undefined {
  const about = { serverId: server.serverId, outcome: "not-sent" } as const;
  // Not the path and the query, which may be somebody's secret, nor user info.
  const action = typeof what === "string" ? what : `connecting to ${cleanText(`${what.protocol}//${what.host}`, 300)}`;
  const owner = `server ${JSON.stringify(server.serverId)}: ${action}`;
  let refusal: unknown;
  try {
    refusal = ask(server);
    if (refusal === undefined) return undefined;
  } catch (cause) {
    return new HostsideError(`${owner} is refused: the guard failed`, { ...about, code: "internal_error", cause });
  }
  if (!isRefusal(refusal)) {
    const message = `${owner} is refused: the guard answered neither a refusal nor nothing`;
    return new HostsideError(message, { ...about, code: "internal_error" });
  }
  return new HostsideError(`${owner} is not allowed: ${refusal.reason}`, {
    ...about,
    code: "not_allowed",
    details: { ...(field !== undefined && { field }), policy: refusal.rule },
  });
}

function isRefusal(value: unknown): value is GuardRefusal {
  return isJsonObject(value) && typeof value["reason"] === "string" && typeof value["rule"] === "string";
}

/** The address that a URL has in place of a name. For it, nothing is looked up. */
export function addressIn({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // The parser has made this of every other spelling: a host that ends in a number is an address,
  // or the URL is none.
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}
