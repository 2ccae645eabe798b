import { longestTimeoutMs } from "@hostside/core";
import { assertKnownOptions, withDefaults, type Fields, type Given } from "@hostside/core/implement";

/** How much of everything one gateway has at a time. Times are in milliseconds. */
export interface GatewayLimits {
  /**
   * Clients at a time. One more takes the place of the session of its own principal that was idle
   * longest, and is refused where there is none. Default 256.
   */
  readonly maxSessions: number;
  /**
   * The same, of one principal, or one of several tokens: so that nobody takes all places. Does not
   * count where there is one token, or none. Default 64.
   */
  readonly maxSessionsPerPrincipal: number;
  /**
   * How long a session may be idle, with no request under way and no stream open. Default 30
   * minutes, as most agents pause no longer.
   */
  readonly sessionIdleMs: number;
  /** Requests of one client under way at a time; one more is refused. Default 128. */
  readonly maxRequestsPerSession: number;
  /** Bytes of one message that comes in. Default 8 MiB: hosts hand over documents as arguments. */
  readonly maxBodyBytes: number;
  /**
   * JSON values of one message that comes in, counted before it is parsed: parsing many small ones
   * holds up every other client. Default 100,000.
   */
  readonly maxBodyValues: number;
  /**
   * Bytes of all messages that come in over HTTP at the same time, of whichever client; one that is
   * too much is refused with 503. One principal, or one of several tokens, has a quarter of it, and
   * room for one message at least. Default 64 MiB.
   */
  readonly maxIncomingBytes: number;
  /**
   * Bytes that wait for one client that reads too slowly; with more, its stream ends. Default 16
   * MiB.
   */
  readonly maxBufferedBytes: number;
  /**
   * Bytes of all answers over HTTP of `listen` that their clients have not taken, of whichever
   * client; beyond it those are cut off that were left longest. Default 256 MiB.
   */
  readonly maxUnreadBytes: number;
  /** How long a client may leave what waits for it unread. Default 60,000. */
  readonly slowReaderMs: number;
  /** Subscriptions of one client, to resources and lists together. Default 256. */
  readonly maxSubscriptionsPerSession: number;
  /** Streams of one client that stay open. Default 8. */
  readonly maxStreamsPerSession: number;
  /** Calls of all clients that wait for an answer of their user. Default 1,024. */
  readonly maxParked: number;
  /** The same, of one client. Default 16. */
  readonly maxParkedPerSession: number;
  /** How long such a call waits for its client to come back. Default 5 minutes. */
  readonly parkedMs: number;
  /**
   * UTF-16 units of a question of a server's, as JSON; a larger one reaches nobody. Default 256
   * KiB: a form is flat, and there may be as many as calls that wait.
   */
  readonly maxQuestionLength: number;
  /** How long `verifyToken` may take. Default 10,000. */
  readonly verifyTokenMs: number;
  /** How long `open()` may take. Default 15,000: hosts give up at 30 s. */
  readonly openMs: number;
  /**
   * How long the first `tools/list` of all tools, and the instructions that name groups, wait for
   * servers that are still starting, at most once for each server: many hosts list once. Where
   * tools of another server are there, a fifth of it; later ones come by `list_changed`. What is
   * known from an earlier start is not waited for. Default 5,000: there are hosts that give up a
   * server which has not listed after 10 s.
   */
  readonly listWaitMs: number;
  /**
   * How long anything but a call may take, such as a list, or a body that comes in. Default 60,000.
   */
  readonly requestMs: number;
  /** How long a conversation may take to close. Default 5,000. */
  readonly closeMs: number;
  /**
   * After how much silence a stream is kept open by a comment. Default 15,000, below what proxies
   * allow.
   */
  readonly keepAliveMs: number;
  /** Entries of a page of a list. Default 1,000: many hosts never ask for a second page. */
  readonly pageSize: number;
}

const minuteMs = 60_000;
const mebibyte = 1024 * 1024;

/** The limits of a gateway whose options say nothing. */
export const gatewayLimits: GatewayLimits = {
  maxSessions: 256,
  maxSessionsPerPrincipal: 64,
  sessionIdleMs: 30 * minuteMs,
  maxRequestsPerSession: 128,
  maxBodyBytes: 8 * mebibyte,
  maxBodyValues: 100_000,
  maxIncomingBytes: 64 * mebibyte,
  maxBufferedBytes: 16 * mebibyte,
  maxUnreadBytes: 256 * mebibyte,
  slowReaderMs: minuteMs,
  maxSubscriptionsPerSession: 256,
  maxStreamsPerSession: 8,
  maxParked: 1024,
  maxParkedPerSession: 16,
  parkedMs: 5 * minuteMs,
  maxQuestionLength: 256 * 1024,
  verifyTokenMs: 10_000,
  openMs: 15_000,
  listWaitMs: 5000,
  requestMs: minuteMs,
  closeMs: 5000,
  keepAliveMs: 15_000,
  pageSize: 1000,
};

const fields: Fields<GatewayLimits> = Object.fromEntries(
  Object.keys(gatewayLimits).map((name) => [name, true]),
) as Fields<GatewayLimits>;

/** Throws a `TypeError` that names the limit that is unknown or no whole number from 1 on. */
export function readGatewayLimits(given: Given<GatewayLimits> | undefined): GatewayLimits {
  if (given === undefined) return gatewayLimits;
  assertKnownOptions("limits", given, fields);
  const limits = withDefaults(gatewayLimits, given);
  for (const [name, value] of Object.entries(limits)) {
    const most = name.endsWith("Ms") ? longestTimeoutMs : Number.MAX_SAFE_INTEGER;
    if (Number.isInteger(value) && value >= 1 && value <= most) continue;
    throw new TypeError(`limits.${name} must be a whole number from 1 to ${most}`);
  }
  return limits;
}
