import { assertKnownOptions, assertTimeoutMs, type Fields } from "@hostside/core/implement";
import { readPositiveInteger } from "../read-number.ts";
import type { ToolSelection } from "../rules/select-tools.ts";

/** What is tried again, and when. */
export interface RetryOptions {
  /** Which tools. Default: all. What may be tried again is decided for each failure besides. */
  readonly tools?: ToolSelection | undefined;
  /** How often a call is tried, the first time included. Default 3. */
  readonly attempts?: number | undefined;
  /** How long to wait before the second try, in milliseconds. Default 200. */
  readonly baseMs?: number | undefined;
  /** How much longer each further wait is. Default 2. */
  readonly factor?: number | undefined;
  /** By which part each wait is longer or shorter, at random. Default 0.2. */
  readonly jitter?: number | undefined;
  /**
   * How long a wait is at most, unless the server asks for a longer one, in milliseconds. Default
   * 30,000.
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * How long one try may take, in milliseconds. Default: as long as the call. In all it is never
   * longer than that.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Under which key of `_meta` a server that knows it is sent `context.idempotencyKey`, such as
   * `"com.example/idempotency-key"`: with calls whose effect is `"idempotent-write"`. The
   * specification has no key for that. Without one, such a call is not tried again once it may have
   * run.
   */
  readonly idempotencyMetaKey?: string | undefined;
}

/** Retry options that were read. */
export interface RetryRules {
  readonly attempts: number;
  readonly baseMs: number;
  readonly factor: number;
  readonly jitter: number;
  readonly maxDelayMs: number;
  readonly timeoutMs: number | undefined;
  readonly metaKey: string | undefined;
}

const fields: Fields<RetryOptions> = {
  tools: true,
  attempts: true,
  baseMs: true,
  factor: true,
  jitter: true,
  maxDelayMs: true,
  timeoutMs: true,
  idempotencyMetaKey: true,
};
// The specification has a meaning of its own for these.
const takenKeys: ReadonlySet<string> = new Set(["progressToken", "traceparent", "tracestate", "baggage"]);

/**
 * Reads options. Throws a `TypeError` that names the first member that makes no sense, such as
 * `retry.attempts`.
 */
export function readRetry(options: RetryOptions, place: string = "retry"): RetryRules {
  assertKnownOptions(place, options, fields);
  const { attempts = 3, baseMs = 200, factor = 2, jitter = 0.2, maxDelayMs = 30_000 } = options;
  const { timeoutMs, idempotencyMetaKey: metaKey } = options;
  readPositiveInteger(attempts, `${place}.attempts`);
  for (const [name, ms] of Object.entries({ baseMs, maxDelayMs })) {
    if (!Number.isFinite(ms) || ms < 0) throw new TypeError(`${place}.${name} must be a number from 0 up`);
  }
  if (!Number.isFinite(factor) || factor < 1) throw new TypeError(`${place}.factor must be a number from 1 up`);
  if (!(jitter >= 0 && jitter <= 1)) throw new TypeError(`${place}.jitter must be a number from 0 to 1`);
  if (timeoutMs !== undefined) readTimeout(timeoutMs, `${place}.timeoutMs`);
  if (metaKey !== undefined) readMetaKey(metaKey, `${place}.idempotencyMetaKey`);
  return { attempts, baseMs, factor, jitter, maxDelayMs, timeoutMs, metaKey };
}

function readTimeout(timeoutMs: number, place: string): void {
  try {
    assertTimeoutMs(timeoutMs);
  } catch (cause) {
    throw new TypeError(`${place} must be a number of milliseconds above 0`, { cause });
  }
}

function readMetaKey(key: unknown, place: string): void {
  const isFree =
    typeof key === "string" && key !== "" && !takenKeys.has(key) && !key.startsWith("io.modelcontextprotocol/");
  if (!isFree) throw new TypeError(`${place} must be a key of your own or your server's, such as "com.example/key"`);
}
