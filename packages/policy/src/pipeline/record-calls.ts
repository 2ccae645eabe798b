import {
  isHostsideError,
  type CallHandler,
  type Interceptor,
  type JsonObject,
  type ToolCall,
  type ToolOutcome,
} from "@hostside/core";
import { clock, isPlainObject, joinObservers } from "@hostside/core/implement";
import { type StageParts, callEvent, refuseCall } from "../refuse.ts";

/** The parts of the record of calls. */
export interface RecordInit extends StageParts {
  /** True if calls may be tried more than once. */
  readonly retries: boolean;
  /** True if anybody listens. */
  readonly isWatched: () => boolean;
}

/** Tells of each call that it began, and how it ended. */
export function recordCalls(init: RecordInit): Interceptor {
  const stage: Interceptor = (call, next) => (init.isWatched() ? record(call, next, init) : next(call));
  return Object.assign(stage, { passes: () => !init.isWatched() });
}

async function record(call: ToolCall, next: CallHandler, init: RecordInit): Promise<ToolOutcome> {
  const { emit, retries } = init;
  const startedAt = clock.now();
  emit({ type: "invoked", ...callEvent(call, init) });
  const [counted, attempts] = retries ? countAttempts(call) : [call, () => 1];
  const ended = () => ({
    ...callEvent(call, init),
    durationMs: clock.now() - startedAt,
    attempts: attempts(),
  });
  try {
    const outcome = await next(counted);
    emit({ type: outcome.isError ? "failed" : "succeeded", ...ended() });
    return outcome;
  } catch (error) {
    emit({ type: "failed", ...ended(), code: isHostsideError(error) ? error.code : "internal_error" });
    throw error;
  }
}

/** Counts how often a call is tried, by what the retries of the policy tell its observer. */
export function countAttempts<Call extends Pick<ToolCall, "options">>(call: Call): readonly [Call, () => number] {
  let attempts = 1;
  const observer = joinObservers(
    { onDecision: ({ stage, type }) => void (attempts += stage === "retry" && type === "applied" ? 1 : 0) },
    call.options.observer,
  );
  return [{ ...call, options: { ...call.options, observer } }, () => attempts];
}

// Deeper than any schema asks for; a cycle has no end.
const deepest = 500;

/**
 * Hands on a frozen copy of the arguments: the stages look at exactly what runs, in every try.
 * Refuses arguments that are too deep or cyclic with `invalid_arguments`.
 */
export function freezeArguments(parts: StageParts): Interceptor {
  return (call, next) => {
    const args = copyData(call.args, 0);
    if (args !== undefined) return next({ ...call, args: args as JsonObject });
    const reason = `has arguments that are nested deeper than ${deepest} levels, or without an end`;
    return Promise.reject(
      refuseCall(call, { stage: "input", code: "invalid_arguments", reason, rule: "arguments" }, parts),
    );
  };
}

/** Copies and freezes arrays and plain objects. Returns `undefined` for what is too deep. */
function copyData(value: unknown, depth: number): unknown {
  if (depth > deepest) return undefined;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const copy = copyData(item, depth + 1);
      if (copy === undefined && item !== undefined) return undefined;
      list.push(copy);
    }
    return Object.freeze(list);
  }
  if (!isPlainObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    const copy = copyData(member, depth + 1);
    if (copy === undefined && member !== undefined) return undefined;
    // To assign it would set the prototype.
    if (name === "__proto__") Object.defineProperty(members, name, { value: copy, ...likeAssigned });
    else members[name] = copy;
  }
  return Object.freeze(members);
}

const likeAssigned = { enumerable: true, configurable: true, writable: true };
