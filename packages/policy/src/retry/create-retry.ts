import { isHostsideError, type CallOutcome, type Interceptor, type ToolCall, type ToolEffect } from "@hostside/core";
import { withErrorContext } from "@hostside/core/implement";
import type { PolicyParts, StageParts } from "../policy-parts.ts";
import { callEvent } from "../refuse.ts";
import { readSelection } from "../rules/select-tools.ts";
import { toolSubject, type ToolSubject } from "../rules/tool-subject.ts";
import { stoppedCall } from "../stopped-call.ts";
import { createAttempts, type Attempts } from "./attempts.ts";
import { mayRepeat } from "./may-repeat.ts";
import { readRetry, type RetryOptions, type RetryRules } from "./retry-options.ts";

/** The stage of a policy that tries a call again where that does no harm. */
export interface Retry {
  readonly interceptor: Interceptor;
  /** How often each call was tried. */
  readonly attempts: Attempts;
  /** What it does with a tool, in words. */
  describe(subject: ToolSubject): readonly string[];
}

type RetryParts = StageParts & Pick<PolicyParts, "random">;

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
    describe(subject) {
      if (tools?.matches(subject) === false) return [];
      return [`retry: ${describeRetry(rules, subject.effect)}`];
    },
  };
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
function attemptOf(call: ToolCall, { timeoutMs, metaKey }: RetryRules, key: string | undefined): ToolCall {
  if (timeoutMs === undefined && key === undefined) return call;
  const { options } = call;
  return {
    ...call,
    options: {
      ...options,
      ...(timeoutMs !== undefined && { timeoutMs: Math.min(timeoutMs, options.timeoutMs ?? timeoutMs) }),
      ...(key !== undefined && metaKey !== undefined && { meta: { ...options.meta, [metaKey]: key } }),
    },
  };
}

function backOffMs(
  attempt: number,
  { baseMs, factor, jitter, maxDelayMs }: RetryRules,
  { random }: RetryParts,
): number {
  const delayMs = Math.min(maxDelayMs, baseMs * factor ** (attempt - 1));
  return delayMs * (1 + jitter * (2 * random() - 1));
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

function describeRetry({ attempts, baseMs, factor, metaKey }: RetryRules, effect: ToolEffect): string {
  const when = `up to ${attempts} tries, the second after about ${baseMs} ms, each further wait ${factor} times as long`;
  switch (effect) {
    case "pure":
      return `${when}; its effect is pure, so also when it may have run`;
    case "idempotent-write":
      return metaKey === undefined
        ? `${when}; only when it provably did not run, because no idempotencyMetaKey is set`
        : `${when}; when it may have run only with an idempotencyKey, which is sent as _meta ${JSON.stringify(metaKey)}`;
    case "non-idempotent-write":
    case "external":
      return `${when}; its effect is ${effect}, so only when it provably did not run`;
  }
}
