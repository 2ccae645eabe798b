import { longestTimeoutMs } from "@hostside/core";
import { assertKnownOptions, withDefaults, type Given } from "@hostside/core/implement";

/**
 * How much of everything one gateway has at a time, where its options say nothing. Times are in
 * milliseconds.
 */
export const gatewayLimits = {
  /**
   * Clients at a time. One more takes the place of the session of its own principal that was idle
   * longest, and is refused where there is none. Default 256.
   */
  maxSessions: 256,
  /**
   * The same, of one principal, or one of several tokens: so that nobody takes all places. Does not
   * count where there is one token, or none. Default 64.
   */
  maxSessionsPerPrincipal: 64,
  /**
   * How long a session may be idle, with no request under way and no stream open. Default 30
   * minutes, as most agents pause no longer.
   */
  sessionIdleMs: 1_800_000,
  /** Requests of one client under way at a time; one more is refused. Default 128. */
  maxRequestsPerSession: 128,
  /** Bytes of one message that comes in. Default 8 MiB: hosts hand over documents as arguments. */
  maxBodyBytes: 8_388_608,
  /**
   * JSON values of one message that comes in, counted before it is parsed: parsing many small ones
   * holds up every other client. Default 100,000.
   */
  maxBodyValues: 100_000,
  /**
   * Bytes of all messages that come in over HTTP at the same time, of whichever client; one that is
   * too much is refused with 503. One principal, or one of several tokens, has a quarter of it, and
   * room for one message at least. Default 64 MiB.
   */
  maxIncomingBytes: 67_108_864,
  /**
   * Bytes that wait for one client that reads too slowly; with more, its stream ends. Default 16
   * MiB.
   */
  maxBufferedBytes: 16_777_216,
  /**
   * Bytes of all answers over HTTP of `listen` that their clients have not taken, of whichever
   * client; beyond it those are cut off that were left longest. Default 256 MiB.
   */
  maxUnreadBytes: 268_435_456,
  /** How long a client may leave what waits for it unread. Default 60,000. */
  slowReaderMs: 60_000,
  /** Subscriptions of one client, to resources and lists together. Default 256. */
  maxSubscriptionsPerSession: 256,
  /** Streams of one client that stay open. Default 8. */
  maxStreamsPerSession: 8,
  /** Calls of all clients that wait for an answer of their user. Default 1,024. */
  maxParked: 1024,
  /** The same, of one client. Default 16. */
  maxParkedPerSession: 16,
  /** How long such a call waits for its client to come back. Default 5 minutes. */
  parkedMs: 300_000,
  /**
   * UTF-16 units of a question of a server's, as JSON; a larger one reaches nobody. Default 256
   * KiB: a form is flat, and there may be as many as calls that wait.
   */
  maxQuestionLength: 262_144,
  /** How long `verifyToken` may take. Default 10,000. */
  verifyTokenMs: 10_000,
  /** How long `open()` may take. Default 15,000: hosts give up at 30 s. */
  openMs: 15_000,
  /**
   * How long the first `tools/list` of all tools, and the instructions that name groups, wait for
   * servers that are still starting, at most once for each server: many hosts list once. If tools
   * of another server are available, the wait is a fifth of this. Later tools come by
   * `list_changed`. Tools known from an earlier start are not waited for. Default 5,000: there are
   * hosts that give up a server which has not listed after 10 s.
   */
  listWaitMs: 5000,
  /**
   * How long anything but a call may take, such as a list, or a body that comes in. Default 60,000.
   */
  requestMs: 60_000,
  /** How long a conversation may take to close. Default 5,000. */
  closeMs: 5000,
  /**
   * After how much silence a stream is kept open by a comment. Default 15,000, below what proxies
   * allow.
   */
  keepAliveMs: 15_000,
  /** Entries of a page of a list. Default 1,000: many hosts never ask for a second page. */
  pageSize: 1000,
} as const;

/** Limits of a gateway, see {@linkcode gatewayLimits}. */
export type GatewayLimits = { readonly [Limit in keyof typeof gatewayLimits]: number };

const fields = Object.fromEntries(Object.keys(gatewayLimits).map((name) => [name, true as const]));

/** Throws a `TypeError` that names the limit that is unknown or no whole number from 1 on. */
export function readGatewayLimits(given: Given<GatewayLimits> | undefined): GatewayLimits {
  if (given === undefined) return gatewayLimits;
  assertKnownOptions("limits", given, fields);
  const limits = withDefaults<GatewayLimits>(gatewayLimits, given);
  for (const [name, value] of Object.entries(limits)) {
    const most = name.endsWith("Ms") ? longestTimeoutMs : Number.MAX_SAFE_INTEGER;
    if (Number.isInteger(value) && value >= 1 && value <= most) continue;
    throw new TypeError(`limits.${name} must be a whole number from 1 to ${most}`);
  }
  return limits;
}
