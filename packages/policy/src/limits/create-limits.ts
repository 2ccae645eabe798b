import {
  isHostsideError,
  type CallHandler,
  type Cancel,
  type Interceptor,
  type ToolCall,
  type ToolOutcome,
} from "@hostside/core";
import { createDeadline, clock, lastWordMs, onAbort } from "@hostside/core/implement";
import { type StageParts, refuseCall, stoppedCall, tellApplied, tellFailed } from "../refuse.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { readLimits, type Limit, type ReadLimit, type LimitScope } from "./limit-options.ts";
import type { LimitLease, LimitRefusal, LimitStore, LimitWant } from "./limit-store.ts";
import { createMemoryLimitStore } from "./memory-limit-store.ts";

/** The limits of one policy. */
export interface LimitsOptions {
  readonly limits: readonly Limit[];
  /** The store that counts them. Default: in memory, for this policy alone. */
  readonly limitStore?: LimitStore | undefined;
}

/** The stage of a policy that says how often, how many at once and how much. */
export interface Limits {
  readonly interceptor: Interceptor;
  /** Listens to its store no more, and waits for no call that was given up. */
  close(): void;
}

interface LimitsParts extends StageParts {
  readonly store: LimitStore;
  /** Frees the places of calls that were given up. `undefined` once the policy is closed. */
  waiting: Set<() => void> | undefined;
}

/**
 * Makes the stage. Throws a `TypeError` for limits that make no sense. A call beyond a limit is
 * refused with `rate_limited`, `overloaded` (too many at once) or `budget_exceeded`:
 * `details.policy` names the limit, `details.usage` and `details.retryAfterMs` say how much of it
 * is used and when to come back.
 */
export function createLimits(options: LimitsOptions, stageParts: StageParts): Limits {
  const limits = readLimits(options.limits);
  const { emit } = stageParts;
  const store = options.limitStore ?? createMemoryLimitStore();
  const parts: LimitsParts = { ...stageParts, store, waiting: new Set() };
  const listening = store.onOutage?.((outage) => {
    const about = { at: clock.date(), part: "limitStore" };
    if (outage.state === "up") emit({ type: "part-restored", ...about });
    else emit({ type: "part-failed", ...about, error: outage.error });
  });
  return {
    async interceptor(call, next) {
      const subject = toolSubject(call.definition, call.server, parts);
      const held = limits.filter(({ tools }) => tools?.matches(subject) ?? true);
      if (held.length === 0) return next(call);
      const wanted = held.map((limit) => ({ limit, rule: limit.rule, key: limitKey(call, limit.scopes) }));
      return run(call, next, { lease: await take(call, wanted, parts), wanted, parts });
    },
    close() {
      listening?.();
      const { waiting } = parts;
      parts.waiting = undefined;
      for (const end of waiting ?? []) end();
    },
  };
}

/** A limit that holds for a call, and the key of the allowance that the call uses. */
interface Wanted extends LimitWant {
  readonly limit: ReadLimit;
}

async function take(call: ToolCall, wanted: readonly Wanted[], parts: LimitsParts): Promise<LimitLease> {
  const { signal } = call.options;
  const { store } = parts;
  let result: LimitLease | LimitRefusal;
  try {
    const taken = store.take(wanted, signal);
    result = "granted" in taken ? taken : await taken;
  } catch (error) {
    if (signal?.aborted) throw stoppedCall(call, "not-sent");
    if (store.onOutage === undefined) tellFailed(call, { part: "limitStore", error }, parts);
    const reason = "is refused: what is used of its limits is not known, because their store failed";
    const why = { code: "call_refused", reason, rule: "limitStore", retryable: true, cause: error } as const;
    throw refuseCall(call, { stage: "limits", ...why }, parts);
  }
  if (!result.granted) throw refuseBeyond(call, result, parts);
  // It may have been given up in the very moment that it was let in.
  if (signal?.aborted) {
    result.settle(false);
    throw stoppedCall(call, "not-sent");
  }
  const { waitedMs } = result;
  const reason = `waited ${Math.round(waitedMs)} ms for its limits`;
  if (waitedMs >= 1) tellApplied(call, { stage: "limits", reason }, parts);
  return result;
}

function refuseBeyond(call: ToolCall, refusal: LimitRefusal, parts: LimitsParts): Error {
  const { rule, part, used, limit, retryAfterMs, shared } = refusal;
  const code = part === "rate" ? "rate_limited" : part === "concurrency" ? "overloaded" : "budget_exceeded";
  const details = {
    usage: { used, limit },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  const newcomers = shared ? ", an allowance that all newcomers share because there are too many," : "";
  const again = retryAfterMs === undefined ? "" : `; again in ${retryAfterMs} ms`;
  const reason = `is refused by limit ${JSON.stringify(rule.name)}: ${usageOf(refusal)}${newcomers} are used${again}`;
  return refuseCall(call, { stage: "limits", code, reason, rule: rule.name, details }, parts);
}

function usageOf({ rule: { rate, budget }, part, used, limit }: LimitRefusal): string {
  const amount = `${used} of ${limit}`;
  if (part === "rate") return `${amount} calls, which come back at ${rate?.calls} per ${rate?.perMs} ms,`;
  if (part === "concurrency") return `${amount} places for calls under way`;
  return `${amount} calls${budget?.perMs === undefined ? "" : ` per ${budget.perMs} ms`}`;
}

interface Admitted {
  readonly lease: LimitLease;
  readonly wanted: readonly Wanted[];
  readonly parts: LimitsParts;
}

async function run(call: ToolCall, next: CallHandler, { lease, wanted, parts }: Admitted): Promise<ToolOutcome> {
  const { signal, deadline } = call.options;
  let isOpen = true;
  let ignore: Cancel | undefined;
  let cancelEnd: Cancel | undefined;
  const settle = (wasSent: boolean): void => {
    if (!isOpen) return;
    isOpen = false;
    ignore?.();
    cancelEnd?.();
    parts.waiting?.delete(end);
    try {
      lease.settle(wasSent);
    } catch (error) {
      tellFailed(call, { part: "limitStore", error }, parts);
    }
  };
  const end = (): void => settle(true);
  // The place is free when the call is over for its caller: at once when its time is up, and when
  // it was given up after its pipeline has waited for a last word.
  ignore =
    signal &&
    onAbort(signal, () => {
      if (isHostsideError(signal.reason) || parts.waiting === undefined) return end();
      parts.waiting.add(end);
      cancelEnd = clock.schedule(lastWordMs, end);
    });
  const timeoutMs = Math.min(...wanted.map(({ limit }) => limit.timeoutMs ?? Number.POSITIVE_INFINITY));
  const time = Number.isFinite(timeoutMs)
    ? createDeadline({ timeoutMs, outer: deadline, onTimeout: () => undefined })
    : undefined;
  try {
    const outcome = await next(time === undefined ? call : { ...call, options: { ...call.options, deadline: time } });
    settle(true);
    return outcome;
  } catch (error) {
    settle(!isHostsideError(error) || error.outcome !== "not-sent");
    throw error;
  } finally {
    time?.dispose();
  }
}

/**
 * The key of the allowance that a call uses: two calls have the same one exactly when they agree on
 * every scope. Not for people. Texts of servers and users cannot make one look like another,
 * because each part says how long it is.
 */
function limitKey({ origin, options }: ToolCall, scopes: readonly LimitScope[]): string {
  const { serverId, toolName } = origin;
  return scopes
    .flatMap((scope) => {
      if (scope === "server") return [serverId];
      return scope === "tool" ? [serverId, toolName] : [options.context?.[scope]];
    })
    .map((text) => (text === undefined ? "-" : `${text.length}:${text}`))
    .join("");
}
