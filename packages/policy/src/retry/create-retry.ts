import { isHostsideError, type CallOutcome, type Interceptor, type ToolCall, type ToolEffect } from "@hostside/core";
import { assertKnownOptions, withErrorContext, type Fields } from "@hostside/core/implement";
import type { PolicyParts, StageParts } from "../policy-parts.ts";
import { readPositiveInteger } from "../read-number.ts";
import { callEvent } from "../refuse.ts";
import { readSelection, type ToolSelection } from "../rules/select-tools.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { stoppedCall } from "../stopped-call.ts";
import { createAttempts, type Attempts } from "./attempts.ts";
import { mayRepeat } from "./may-repeat.ts";

/** Which calls are tried again, and when. */
export interface RetryOptions {
  /** Which tools. Default: all. What may be tried again is decided for each failure besides. */
  readonly tools?: ToolSelection | undefined;
  /** How often a call is tried, the first time included. Default 3. */
  readonly attempts?: number | undefined;
  /**
   * How long to wait before the second try, in milliseconds. Default 200. Each further wait is
   * twice as long, up to 30,000 unless the server asks for a longer one.
   */
  readonly baseMs?: number | undefined;
  /**
   * Under which key of `_meta` a server that knows it is sent `context.idempotencyKey`, such as
   * `"com.example/idempotency-key"`: with calls whose effect is `"idempotent-write"`. The
   * specification has no key for that. Without one, such a call is not tried again once it may have
   * run.
   */
  readonly idempotencyMetaKey?: string | undefined;
}

/** The stage of a policy that tries a call again where that does no harm. */
export interface Retry {
  readonly interceptor: Interceptor;
  /** How often each call was tried. */
  readonly attempts: Attempts;
}

interface RetryRules {
  readonly attempts: number;
  readonly baseMs: number;
  readonly metaKey: string | undefined;
}

type RetryParts = StageParts & Pick<PolicyParts, "random">;

const mostDelayMs = 30_000;
const fields: Fields<RetryOptions> = { tools: true, attempts: true, baseMs: true, idempotencyMetaKey: true };
// The specification has a meaning of its own for these.
const takenKeys: ReadonlySet<unknown> = new Set(["", "progressToken", "traceparent", "tracestate", "baggage"]);

/**
 * Makes the stage. Throws a `TypeError` for options that make no sense. All tries share the time of
 * the call, and a wait that would outlast it does not begin. The error of a call that was tried
 * more than once has `details.attempts`, and the least that is known of all tries as its outcome.
 */
export function createRetry(options: RetryOptions, parts: RetryParts): Retry {
  const rules = readRetry(options);
  const tools = options.tools === undefined ? undefined : readSelection(options.tools, "retry.tools");
  const attempts = createAttempts();
  return {
    attempts,
    async interceptor(call, next) {
      const subject = toolSubject(call.definition, call.server, parts);
      if (tools?.matches(subject) === false) return next(call);
      return run(call, next, { rules, parts, attempts, effect: subject.effect });
    },
  };
}

function readRetry(options: RetryOptions): RetryRules {
  assertKnownOptions("retry", options, fields);
  const { attempts = 3, baseMs = 200, idempotencyMetaKey: metaKey } = options;
  readPositiveInteger(attempts, "retry.attempts");
  if (!Number.isFinite(baseMs) || baseMs < 0) throw new TypeError("retry.baseMs must be a number from 0 up");
  if (metaKey !== undefined && (takenKeys.has(metaKey) || metaKey.startsWith("io.modelcontextprotocol/"))) {
    throw new TypeError(
      'retry.idempotencyMetaKey must be a key of your own or your server\'s, such as "com.example/key"',
    );
  }
  return { attempts, baseMs, metaKey };
}

interface RunInit {
  readonly rules: RetryRules;
  readonly parts: RetryParts;
  readonly attempts: Attempts;
  readonly effect: ToolEffect;
}

const certainty: readonly CallOutcome[] = ["not-sent", "failed", "unknown"];

async function run(
  call: ToolCall,
  next: Parameters<Interceptor>[1],
  { rules, parts, attempts, effect }: RunInit,
): ReturnType<Interceptor> {
  const key =
    effect === "idempotent-write" && rules.metaKey !== undefined ? call.options.context?.idempotencyKey : undefined;
  const attempted = attemptOf(call, rules, key);
  let worst: CallOutcome = "not-sent";
  for (let attempt = 1; ; attempt += 1) {
    attempts.note(call, attempt);
    try {
      return await next(attempted);
    } catch (error) {
      if (!isHostsideError(error)) throw error;
      if (certainty.indexOf(error.outcome) > certainty.indexOf(worst)) worst = error.outcome;
      const waitMs = Math.max(backOffMs(attempt, rules, parts), error.details.retryAfterMs ?? 0);
      const leftMs = call.options.deadline?.remainingMs() ?? Number.POSITIVE_INFINITY;
      const isOver = attempt >= rules.attempts || waitMs >= leftMs || call.options.signal?.aborted === true;
      if (isOver || !mayRepeat(error, { effect, hasKey: key !== undefined })) {
        if (attempt === 1) throw error;
        throw withErrorContext(error, { outcome: worst, details: { attempts: attempt } });
      }
      const reason = `tries again in ${Math.round(waitMs)} ms after ${error.code} (try ${attempt} of ${rules.attempts})`;
      parts.emit({ type: "applied", ...callEvent(call, parts), stage: "retry", reason }, call);
      await wait(waitMs, call, { clock: parts.clock, outcome: worst });
    }
  }
}

/** The call as it is sent each time: the same arguments, the same key. */
function attemptOf(call: ToolCall, { metaKey }: RetryRules, key: string | undefined): ToolCall {
  if (key === undefined || metaKey === undefined) return call;
  return { ...call, options: { ...call.options, meta: { ...call.options.meta, [metaKey]: key } } };
}

// Each wait is twice as long as the one before, and a fifth longer or shorter at random.
function backOffMs(attempt: number, { baseMs }: RetryRules, { random }: RetryParts): number {
  return Math.min(mostDelayMs, baseMs * 2 ** (attempt - 1)) * (0.8 + 0.4 * random());
}

function wait(
  waitMs: number,
  call: ToolCall,
  { clock, outcome }: Pick<RetryParts, "clock"> & { readonly outcome: CallOutcome },
): Promise<void> {
  const { signal } = call.options;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      cancel();
      reject(stoppedCall(call, outcome));
    };
    const cancel = clock.schedule(waitMs, () => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    });
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}
