import { isHostsideError, type Cancel, type Interceptor, type ToolCall, type ToolOutcome } from "@hostside/core";
import { dateOf, lastWordMs, onAbort, utf8Length } from "@hostside/core/implement";
import type { StageParts } from "../policy-parts.ts";
import { callEvent, refuseCall } from "../refuse.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { stoppedCall } from "../stopped-call.ts";
import { describeRefusal } from "./describe-limit.ts";
import { readLimits, type Limit, type ReadLimit, type LimitScope } from "./limit-options.ts";
import type { LimitLease, LimitRefusal, LimitStore, LimitWant, Spent } from "./limit-store.ts";
import { createMemoryLimitStore } from "./memory-limit-store.ts";
import { narrowTime, type NarrowTime } from "./narrow-time.ts";

/** The limits of one policy. */
export interface LimitsOptions {
  readonly limits: readonly Limit[];
  /** Where they are counted. Default: in memory, for this policy alone. */
  readonly limitStore?: LimitStore | undefined;
}

/** The stage of a policy that says how often, how many at once and how much. */
export interface Limits {
  readonly interceptor: Interceptor;
  /** Listens to its store no more, and waits for no call that was given up. */
  close(): void;
}

interface LimitsParts extends StageParts {
  readonly lastWords: LastWords;
  readonly limits: readonly ReadLimit[];
  readonly store: LimitStore;
}

/**
 * Makes the stage. Throws a `TypeError` for limits that make no sense. A call beyond a limit is
 * refused with `rate_limited`, `overloaded` (too many at once) or `budget_exceeded`:
 * `details.policy` names the limit, `details.usage` and `details.retryAfterMs` say how much of it
 * is used and when to come back.
 */
export function createLimits(options: LimitsOptions, { clock, emit, effectOf, isNew }: StageParts): Limits {
  const limits = readLimits(options.limits);
  const store = options.limitStore ?? createMemoryLimitStore({ clock });
  const lastWords = createLastWords(clock);
  const parts: LimitsParts = { limits, store, clock, emit, effectOf, isNew, lastWords };
  const listening = store.onOutage?.((outage) => {
    const about = { at: dateOf(clock), part: "limitStore" };
    emit(
      outage.state === "up"
        ? { type: "part-restored", ...about }
        : { type: "part-failed", ...about, error: outage.error },
    );
  });
  return {
    async interceptor(call, next) {
      const subject = toolSubject(call.definition, call.server, parts);
      const held = limits.filter(({ tools }) => tools?.matches(subject) ?? true);
      if (held.length === 0) return next(call);
      const wanted = wantsOf(call, held, parts);
      const lease = await take(call, wanted, parts);
      return run(call, next, { lease, wanted, parts });
    },
    close() {
      listening?.();
      lastWords.close();
    },
  };
}

/** A limit that holds for a call, and the key whose allowance the call uses. */
interface Wanted extends LimitWant {
  readonly limit: ReadLimit;
}

function wantsOf(call: ToolCall, held: readonly ReadLimit[], parts: LimitsParts): readonly Wanted[] {
  return held.flatMap((limit) => {
    const by = limit.by === undefined ? undefined : askBy(call, limit, parts);
    if (limit.by !== undefined && by === undefined) return [];
    return [{ limit, rule: limit.rule, key: limitKey(call, limit.scopes, by) }];
  });
}

function askBy(call: ToolCall, { by, rule: { name } }: ReadLimit, parts: LimitsParts): string | undefined {
  let answer: unknown;
  let cause: unknown;
  try {
    answer = by?.(call);
    if (answer === undefined || typeof answer === "string") return answer;
    cause = new TypeError(`by() of limit ${JSON.stringify(name)} answered no text`);
  } catch (error) {
    cause = error;
  }
  parts.emit({ type: "part-failed", ...callEvent(call, parts), part: `by() of limit ${name}`, error: cause }, call);
  const reason = `is refused: its allowance is not known, because by() of limit ${JSON.stringify(name)} failed`;
  throw refuseCall(call, { stage: "limits", code: "call_refused", reason, rule: name, cause }, parts);
}

async function take(call: ToolCall, wanted: readonly Wanted[], parts: LimitsParts): Promise<LimitLease> {
  const signal = call.options.signal;
  let result: LimitLease | LimitRefusal;
  try {
    result = parts.store.takeAtOnce?.(wanted) ?? (await parts.store.take(wanted, call.options.signal));
  } catch (error) {
    if (signal?.aborted) throw stoppedCall(call, "not-sent");
    if (parts.store.onOutage === undefined) {
      parts.emit({ type: "part-failed", ...callEvent(call, parts), part: "limitStore", error }, call);
    }
    const reason = "is refused: what is used of its limits is not known, because their store failed";
    throw refuseCall(call, { stage: "limits", code: "call_refused", reason, rule: "limitStore", cause: error }, parts);
  }
  if (!result.granted) throw refuseBeyond(call, result, parts);
  // It may have been given up in the very moment that it was let in.
  if (signal?.aborted) {
    result.settle(undefined);
    throw stoppedCall(call, "not-sent");
  }
  if (result.waitedMs >= 1) {
    const reason = `waited ${Math.round(result.waitedMs)} ms for its limits`;
    parts.emit({ type: "applied", ...callEvent(call, parts), stage: "limits", reason }, call);
  }
  if (result.remark !== undefined) {
    parts.emit({ type: "applied", ...callEvent(call, parts), stage: "limits", reason: result.remark }, call);
  }
  return result;
}

function refuseBeyond(call: ToolCall, refusal: LimitRefusal, parts: LimitsParts): Error {
  const { rule, part, used, limit, retryAfterMs } = refusal;
  const code = part === "rate" ? "rate_limited" : part === "concurrency" ? "overloaded" : "budget_exceeded";
  const usage = { used: Math.min(used, Number.MAX_SAFE_INTEGER), limit };
  const details = { usage, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return refuseCall(call, { stage: "limits", code, reason: describeRefusal(refusal), rule: rule.name, details }, parts);
}

type Next = Parameters<Interceptor>[1];

interface Admitted {
  readonly lease: LimitLease;
  readonly wanted: readonly Wanted[];
  readonly parts: LimitsParts;
}

async function run(call: ToolCall, next: Next, { lease, wanted, parts }: Admitted): Promise<ToolOutcome> {
  const startedAt = parts.clock.now();
  const time = timeWithin(call, wanted, parts);
  const spent = (outcome: ToolOutcome | undefined): readonly Spent[] => {
    const timeMs = parts.clock.now() - startedAt;
    const isWeighed = wanted.some(({ rule }) => rule.budget?.bytes !== undefined);
    const bytes = isWeighed ? measureBytes(call.args) + measureBytes(outcome?.raw) : 0;
    return wanted.map(({ limit }) => ({ bytes, timeMs, cost: costOf(call, outcome, { limit, parts }) }));
  };
  const signal = call.options.signal;
  let isOpen = true;
  let ignore: Cancel | undefined;
  let cancelEnd: Cancel | undefined;
  const settle = (used: readonly Spent[] | undefined): void => {
    if (!isOpen) return;
    isOpen = false;
    ignore?.();
    cancelEnd?.();
    try {
      lease.settle(used);
    } catch (error) {
      parts.emit({ type: "part-failed", ...callEvent(call, parts), part: "limitStore", error }, call);
    }
  };
  // Whatever lies behind, the place is free when the call is over for its caller: of one that ran
  // out of time at once, of one that was given up when its pipeline has waited for a last word.
  const end = (): void => settle(spent(undefined));
  ignore =
    signal &&
    onAbort(signal, () => {
      if (isHostsideError(signal.reason)) end();
      else cancelEnd = parts.lastWords.wait(end);
    });
  try {
    const outcome = await next(time === undefined ? call : { ...call, options: { ...call.options, deadline: time } });
    settle(spent(outcome));
    return outcome;
  } catch (error) {
    const isUnsent = isHostsideError(error) && error.outcome === "not-sent";
    settle(isUnsent ? undefined : spent(undefined));
    throw error;
  } finally {
    time?.dispose();
  }
}

/** Waits for calls that were given up and may still say what became of them. */
interface LastWords {
  /**
   * Calls `end` after a moment, or at once when nobody waits any more; not when the returned
   * function is called first.
   */
  wait(end: () => void): Cancel;
  /** Ends all of it, and waits no more. */
  close(): void;
}

function createLastWords(clock: StageParts["clock"]): LastWords {
  const waiting = new Map<() => void, Cancel>();
  let isClosed = false;
  return {
    wait(end) {
      if (isClosed) end();
      else {
        const over = (): void => {
          waiting.delete(end);
          end();
        };
        waiting.set(end, clock.schedule(lastWordMs, over));
      }
      return () => {
        waiting.get(end)?.();
        waiting.delete(end);
      };
    },
    close() {
      isClosed = true;
      // Each takes itself out.
      for (const end of Array.from(waiting.keys())) end();
    },
  };
}

/** The least that the limits leave of the time of the call; `undefined` where they leave all. */
function timeWithin(call: ToolCall, wanted: readonly Wanted[], { clock }: LimitsParts): NarrowTime | undefined {
  const times = wanted.flatMap(({ limit: { timeoutMs } }) => (timeoutMs === undefined ? [] : [timeoutMs]));
  return times.length === 0 ? undefined : narrowTime(call.options.deadline, { timeoutMs: Math.min(...times), clock });
}

function costOf(
  call: ToolCall,
  outcome: ToolOutcome | undefined,
  { limit, parts }: { readonly limit: ReadLimit; readonly parts: LimitsParts },
): number {
  if (limit.costOf === undefined) return 0;
  try {
    const amount: unknown = limit.costOf(call, outcome);
    if (typeof amount === "number" && amount >= 0) return amount;
    throw new TypeError(`it answered ${String(amount)}, which is no number from 0 up`);
  } catch (error) {
    const part = `cost.of() of limit ${limit.rule.name}`;
    parts.emit({ type: "part-failed", ...callEvent(call, parts), part, error }, call);
    return Number.POSITIVE_INFINITY;
  }
}

/** Measures a value as JSON in UTF-8. A value that is no JSON has 0 bytes. */
function measureBytes(value: unknown): number {
  try {
    return utf8Length(JSON.stringify(value) ?? "");
  } catch {
    return 0;
  }
}

/**
 * The key of the allowance that a call uses: two calls have the same one exactly when they agree on
 * every scope. Not for people. Texts of servers and users cannot make one look like another,
 * because each part says how long it is.
 */
function limitKey(call: ToolCall, scopes: readonly LimitScope[], by: string | undefined): string {
  if (scopes.length === 0 && by === undefined) return "";
  return scopes.map((scope) => partOf(call, scope)).join("") + part(by);
}

function partOf({ origin, options }: ToolCall, scope: LimitScope): string {
  switch (scope) {
    case "server":
      return part(origin.serverId);
    case "tool":
      return part(origin.serverId) + part(origin.toolName);
    case "principal":
    case "conversation":
    case "role":
      return part(options.context?.[scope]);
  }
}

function part(text: string | undefined): string {
  return text === undefined ? "-" : `${text.length}:${text}`;
}
