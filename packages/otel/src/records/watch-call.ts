import type { CallDecision, CallObserver, CallRecord, Clock, Interceptor, ToolCall, ToolOutcome } from "@hostside/core";
import { dateOf, joinObservers } from "@hostside/core/implement";

/** All that became of one call. */
export interface EndedCall {
  readonly call: ToolCall;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly decisions: readonly CallDecision[];
  /** One for each try at the server. */
  readonly records: readonly CallRecord[];
  readonly outcome?: ToolOutcome;
  readonly error?: unknown;
}

/** What is done around each call. */
export interface CallWatcher {
  /** Before it goes anywhere. What it throws refuses the call. Default: nothing. */
  readonly before?: ((call: ToolCall) => Promise<void>) | undefined;
  /** After it has ended, before its caller hears of it. Must not throw. */
  readonly after: (ended: EndedCall) => void;
}

// Of one call, so that a layer that decides or tries for ever does not fill the memory.
const mostKept = 100;

/** A layer that sees each call from its beginning to its end. */
export function watchCalls({ before, after }: CallWatcher, clock: Clock): Interceptor {
  return async (call, next) => {
    if (before !== undefined) await before(call);
    const from = clock.now();
    const startedAt = dateOf(clock);
    const heard = new HeardOfCall();
    const observer = joinObservers(heard, call.options.observer);
    const handed = { ...call, options: { ...call.options, observer } };
    const { decisions, records } = heard;
    try {
      const outcome = await next(handed);
      after({ call, startedAt, durationMs: clock.now() - from, decisions, records, outcome });
      return outcome;
    } catch (error) {
      after({ call, startedAt, durationMs: clock.now() - from, decisions, records, error });
      throw error;
    }
  };
}

class HeardOfCall implements CallObserver {
  readonly decisions: CallDecision[] = [];
  readonly records: CallRecord[] = [];

  readonly onDecision = (decision: CallDecision): void => {
    if (this.decisions.length < mostKept) this.decisions.push(decision);
  };

  readonly onRecord = (record: CallRecord): void => {
    if (this.records.length < mostKept) this.records.push(record);
  };
}
