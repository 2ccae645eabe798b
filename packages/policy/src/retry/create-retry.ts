import {
  isHostsideError,
  type CallHandler,
  type CallOutcome,
  type Interceptor,
  type ToolCall,
  type ToolEffect,
  type ToolOutcome,
} from "@hostside/core";
import {
  assertKnownOptions,
  pause,
  readWholeNumber,
  systemRandom,
  withErrorContext,
  type Fields,
} from "@hostside/core/implement";
import { type StageParts, stoppedCall, tellApplied } from "../refuse.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { mayRepeat } from "./may-repeat.ts";

/**
 * Which calls are tried again. Each failure decides whether its call may be tried again. The wait
 * before the second try is 200 ms; each further one is twice as long, up to 30 s unless the server
 * asks for a longer one.
 */
export interface RetryOptions {
  /** How often a call is tried, the first time included. Default 3. */
  readonly attempts?: number | undefined;
  /**
   * Under which key of `_meta` a server that knows it is sent `context.idempotencyKey`, such as
   * `"com.example/idempotency-key"`: with calls whose effect is `"idempotent-write"`. The
   * specification has no key for that. Without one, such a call is not tried again once it may have
   * run.
   */
  readonly idempotencyMetaKey?: string | undefined;
}

interface RetryRules {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly metaKey: string | undefined;
  readonly parts: StageParts;
}

const mostDelayMs = 30_000;
const fields: Fields<RetryOptions> = { attempts: true, idempotencyMetaKey: true };
// The specification has a meaning of its own for these.
const takenKeys: ReadonlySet<unknown> = new Set(["", "progressToken", "traceparent", "tracestate", "baggage"]);
const certainty: readonly CallOutcome[] = ["not-sent", "failed", "unknown"];

/**
 * Makes the stage. Throws a `TypeError` for options that make no sense. All tries share the time of
 * the call, and a wait that would outlast it does not begin. The error of a call that was tried
 * more than once has `details.attempts`, and the least that is known of all tries as its outcome.
 */
export function createRetry(options: RetryOptions, parts: StageParts, firstDelayMs = 200): Interceptor {
  assertKnownOptions("retry", options, fields);
  const { idempotencyMetaKey: metaKey } = options;
  const attempts = readWholeNumber(options.attempts, "retry.attempts", { least: 1, otherwise: 3 });
  if (metaKey !== undefined && (takenKeys.has(metaKey) || metaKey.startsWith("io.modelcontextprotocol/"))) {
    throw new TypeError(
      'retry.idempotencyMetaKey must be a key of your own or your server\'s, such as "com.example/key"',
    );
  }
  const rules = { attempts, firstDelayMs, metaKey, parts };
  return (call, next) => run(call, next, { ...rules, effect: toolSubject(call.definition, call.server, parts).effect });
}

async function run(
  call: ToolCall,
  next: CallHandler,
  { attempts, firstDelayMs, metaKey, parts, effect }: RetryRules & { readonly effect: ToolEffect },
): Promise<ToolOutcome> {
  const { options } = call;
  const key = effect === "idempotent-write" && metaKey !== undefined ? options.context?.idempotencyKey : undefined;
  const attempted: ToolCall =
    key === undefined || metaKey === undefined
      ? call
      : { ...call, options: { ...options, meta: { ...options.meta, [metaKey]: key } } };
  const isGivenUp = (): boolean => options.signal?.aborted === true;
  let worst: CallOutcome = "not-sent";
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next(attempted);
    } catch (error) {
      if (!isHostsideError(error)) throw error;
      if (certainty.indexOf(error.outcome) > certainty.indexOf(worst)) worst = error.outcome;
      // A fifth longer or shorter at random.
      const backOffMs = Math.min(mostDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.8 + 0.4 * systemRandom());
      const waitMs = Math.max(backOffMs, error.details.retryAfterMs ?? 0);
      const leftMs = options.deadline?.remainingMs() ?? Number.POSITIVE_INFINITY;
      const isOver = attempt >= attempts || waitMs >= leftMs || isGivenUp();
      if (isOver || !mayRepeat(error, { effect, hasKey: key !== undefined })) {
        if (attempt === 1) throw error;
        throw withErrorContext(error, { outcome: worst, details: { attempts: attempt } });
      }
      await pause(waitMs, options.signal);
      if (isGivenUp()) throw stoppedCall(call, worst);
      const reason = `tries again ${Math.round(waitMs)} ms after ${error.code} (try ${attempt + 1} of ${attempts})`;
      tellApplied(call, { stage: "retry", reason }, parts);
    }
  }
}
