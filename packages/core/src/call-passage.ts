import { timeSetBy } from "./call-input.ts";
import type { Cancel, Clock } from "./clock.ts";
import { quoteText } from "./quote-text.ts";
import { createDeadline } from "./deadline.ts";
import type { BoundedCallHandler, ToolCall } from "./interceptor.ts";
import type { Layer } from "./interceptor-layer.ts";
import type { ToolOutcome } from "./tool.ts";
import type { CallOutcome, ToolportErrorCode } from "./toolport-error-code.ts";
import { isToolportError, ToolportError, withErrorContext, type ToolportErrorInit } from "./toolport-error.ts";

/** One call on its way through the interceptors. */
export interface CallPassage {
  /** Whether the call is with the handler. */
  readonly isHandling: boolean;
  /** What is known of the call's effect so far; `unknown` once a handler answered, because then it ran. */
  readonly effect: CallOutcome;
  /** Why nobody may go on with the call: its time is up, it was given up, or it is over. */
  readonly ended: ToolportError | undefined;
  /** Which interceptor has the call, for errors. */
  at: string;
  /** Sends the call through; settles with its answer or with its end, whichever comes first. */
  run(enter: Layer): Promise<ToolOutcome>;
  handle(call: ToolCall, handler: BoundedCallHandler): Promise<ToolOutcome>;
  end(error: ToolportError): void;
}

// A handler that heeds its signal says at once what became of the call, and that is worth knowing. One that does not must not hold it.
const lastWordMs = 1000;

/** Makes a passage; its time runs from now on. */
export function createCallPassage(
  call: ToolCall,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): CallPassage {
  const { origin, definition, args, options } = call;
  const controller = new AbortController();
  const handling = createHandling(call);
  let over = false;
  let ended: ToolportError | undefined;
  /** The time is up or the caller has given up, while the handler has the call. */
  let overdue: ToolportError | undefined;
  let cancelLastWord: Cancel | undefined;
  let settle: (error: ToolportError) => void = () => {};

  const end = (error: ToolportError): void => {
    if (over) return;
    ended = withEffect(error, handling.effect);
    settle(ended);
  };
  const stop = (error: ToolportError): ToolportError => {
    overdue ??= error;
    if (handling.active === 0) end(error);
    else cancelLastWord ??= clock.schedule(lastWordMs, () => end(error));
    return error;
  };
  const time = createDeadline({
    timeoutMs,
    clock,
    onTimeout: () => stop(overdueError(call, timeoutMs, passage.at)),
  });
  const onAbort = (): void => {
    controller.abort(options.signal?.reason);
    stop(passageError(call, "aborted", { problem: "was aborted", cause: options.signal?.reason }));
  };
  const release = (): void => {
    over = true;
    time.dispose();
    cancelLastWord?.();
    options.signal?.removeEventListener("abort", onAbort);
    // What is still under way works for nobody.
    if (ended !== undefined || handling.active > 0) controller.abort(ended);
  };

  const passage: CallPassage = {
    get isHandling() {
      return handling.active > 0;
    },
    get effect() {
      return handling.effect;
    },
    get ended() {
      return over
        ? (ended ?? passageError(call, "internal_error", { problem: "is over", outcome: handling.effect }))
        : overdue;
    },
    at: "",
    run(enter) {
      return new Promise<ToolOutcome>((resolve, reject) => {
        settle = (error) => {
          release();
          reject(withEffect(error, handling.effect));
        };
        if (options.signal?.aborted) return onAbort();
        options.signal?.addEventListener("abort", onAbort, { once: true });
        const shown: ToolCall = { origin, definition, args, options: { ...options, signal: controller.signal } };
        void enter(shown, passage).then((outcome) => (release(), resolve(outcome)), settle);
      });
    },
    handle({ args: given, options: chosen }, handler) {
      const signal = bothSignals(controller.signal, chosen.signal);
      const handled = { ...chosen, signal, selected: chosen.selected ?? definition };
      passage.at = "";
      return handling.watch(() => handler({ origin, definition, args: given, options: handled }, time));
    },
    end,
  };
  return passage;
}

/** The times that a call is with its handler, and what is known of its effect because of them. */
interface Handling {
  readonly active: number;
  readonly effect: CallOutcome;
  watch(work: () => Promise<ToolOutcome>): Promise<ToolOutcome>;
}

function createHandling(call: ToolCall): Handling {
  let active = 0;
  let effect: CallOutcome = "not-sent";
  return {
    get active() {
      return active;
    },
    // While the handler has the call, nobody knows: whoever throws meanwhile must not say that it was not sent.
    get effect() {
      return active > 0 ? "unknown" : effect;
    },
    async watch(work) {
      active += 1;
      try {
        const outcome = await work();
        effect = "unknown";
        return outcome;
      } catch (reason) {
        const error = toError(reason, call);
        effect = worse(effect, error.outcome);
        throw error;
      } finally {
        active -= 1;
      }
    },
  };
}

/** A fault of an interceptor. */
export function interceptorError(
  call: Pick<ToolCall, "origin">,
  { effect: outcome }: Pick<CallPassage, "effect">,
  { problem, cause }: { readonly problem: string; readonly cause?: unknown },
): ToolportError {
  return passageError(call, "internal_error", { problem: `failed: ${problem}`, outcome, cause });
}

function overdueError(call: ToolCall, timeoutMs: number, at: string): ToolportError {
  const where = at === "" ? "" : `; the last to have it was ${at}`;
  const problem = `did not finish within ${Math.round(timeoutMs)} ms (${timeSetBy(call.options)})${where}`;
  return passageError(call, "call_timeout", { problem, details: { timeoutMs } });
}

function passageError(
  { origin: { serverId, toolName } }: Pick<ToolCall, "origin">,
  code: ToolportErrorCode,
  { problem, ...rest }: { readonly problem: string } & Pick<ToolportErrorInit, "cause" | "details" | "outcome">,
): ToolportError {
  const message = `call of ${quoteText(toolName)} on ${JSON.stringify(serverId)} ${problem}`;
  return new ToolportError(message, { code, serverId, toolName, outcome: "not-sent", ...rest });
}

function toError(reason: unknown, call: ToolCall): ToolportError {
  if (isToolportError(reason)) return reason;
  return passageError(call, "internal_error", {
    problem: "failed in an unforeseen way",
    outcome: "unknown",
    cause: reason,
  });
}

const certainty: readonly CallOutcome[] = ["not-sent", "failed", "unknown"];

function worse(a: CallOutcome, b: CallOutcome): CallOutcome {
  return certainty.indexOf(a) >= certainty.indexOf(b) ? a : b;
}

/** The error, claiming no more than is known: an earlier try of the same call may have run. */
function withEffect(error: ToolportError, effect: CallOutcome): ToolportError {
  const outcome = worse(error.outcome, effect);
  return outcome === error.outcome ? error : withErrorContext(error, { outcome });
}

function bothSignals(own: AbortSignal, chosen: AbortSignal | undefined): AbortSignal {
  return chosen === undefined || chosen === own ? own : AbortSignal.any([own, chosen]);
}
