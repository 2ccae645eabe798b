import type { Cancel, Clock } from "./clock.ts";
import { createDeadline, type SharedDeadline } from "./deadline.ts";
import type { CallOutcome, ToolportErrorCode } from "./toolport-error-code.ts";
import { isToolportError, withErrorContext, type ToolportError, type ToolportErrorInit } from "./toolport-error.ts";

/** What goes through layers: a call, or another request. */
export interface Work {
  readonly options: {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly deadline?: SharedDeadline | undefined;
  };
}

/** The end of the way of some work. */
export type Handler<Of extends Work, Answer> = (work: Of) => Promise<Answer>;

/** What layers have to know of one kind of work. */
export interface WorkKind<Of extends Work, Answer> {
  /** An error about the work: `problem` says what became of it, after a name for it. */
  error(work: Of, code: ToolportErrorCode, problem: WorkProblem): ToolportError;
  readonly timeoutCode: ToolportErrorCode;
  /** Who set its time, for errors. */
  timeSetBy(work: Of): string;
  /** What a layer handed on that is no more the same work, in words; `undefined` when all is well. */
  findChange(work: Of, changed: Of | undefined): string | undefined;
  /** Throws for options that no such work may have. */
  assertOptions(options: Of["options"]): void;
  isAnswer(value: unknown): value is Answer;
  /** The answer as one to this work, whoever gave it. */
  sign(answer: Answer, work: Of): Answer;
  /** The same work with other options. */
  withOptions(work: Of, options: Of["options"]): Of;
  /** What reaches the handler: the identity of `work`, and what layers may change from `given`. */
  handOn(work: Of, given: Of, options: Of["options"]): Of;
}

/** What became of some work. */
export type WorkProblem = { readonly problem: string } & Pick<ToolportErrorInit, "cause" | "details" | "outcome">;

/** One piece of work on its way through the layers. */
export interface Passage<Of extends Work, Answer> {
  /** What is known of its effect so far; `unknown` once a handler answered, because then it ran. */
  readonly effect: CallOutcome;
  /** How often it was with its handler, so that {@linkcode claim} can leave out what was before. */
  readonly handled: number;
  /** An error of a layer, claiming no more than is known of what the handler has done since then. */
  claim(error: ToolportError, since: number): ToolportError;
  /** Why nobody may go on with it: its time is up, it was given up, or it is over. */
  readonly ended: ToolportError | undefined;
  /** Which layer has it, for errors. */
  at: string;
  /** Sends it through; settles with its answer or with its end, whichever comes first. */
  run(enter: (work: Of, passage: Passage<Of, Answer>) => Promise<Answer>): Promise<Answer>;
  handle(given: Of): Promise<Answer>;
  /** Ends it at once. */
  end(error: ToolportError): void;
  /** Ends it at once, or a moment after the handler has answered: what became of the work is worth knowing. */
  endSoon(error: ToolportError): void;
}

/** What a passage is made from. */
export interface PassageInit<Of extends Work, Answer> {
  readonly kind: WorkKind<Of, Answer>;
  readonly handler: Handler<Of, Answer>;
  readonly timeoutMs: number;
  readonly mostPausedMs: number;
  readonly clock: Clock;
}

// A handler that heeds its signal says at once what became of the call, and that is worth knowing. One that does not must not hold it.
const lastWordMs = 1000;

/** Makes a passage; its time runs from now on. */
export function createPassage<Of extends Work, Answer>(
  work: Of,
  { kind, handler, timeoutMs, mostPausedMs, clock }: PassageInit<Of, Answer>,
): Passage<Of, Answer> {
  const { signal, deadline } = work.options;
  const controller = new AbortController();
  const handling = createHandling(work, kind);
  let settle: (error: ToolportError) => void = () => {};
  const ending = createEnding({ handling, clock, settle: (error) => settle(error) });
  const time = createDeadline({
    timeoutMs,
    clock,
    outer: deadline,
    mostPausedMs,
    onTimeout: () => ending.stop(overdueError(work, kind, { timeoutMs, at: passage.at })),
  });
  const onAbort = (): void => {
    controller.abort(signal?.reason);
    ending.stop(kind.error(work, "aborted", { problem: "was aborted", cause: signal?.reason }));
  };
  const release = (): void => {
    ending.release();
    time.dispose();
    signal?.removeEventListener("abort", onAbort);
    // What is still under way works for nobody.
    if (ending.reason !== undefined || handling.active > 0) controller.abort(ending.reason);
  };

  const passage: Passage<Of, Answer> = {
    get effect() {
      return handling.effect;
    },
    get handled() {
      return handling.handled;
    },
    claim: (error, since) => withEffect(error, handling.effectSince(since)),
    get ended() {
      if (!ending.isOver) return ending.overdue;
      return ending.reason ?? kind.error(work, "internal_error", { problem: "is over", outcome: handling.effect });
    },
    at: "",
    run(enter) {
      return new Promise<Answer>((resolve, reject) => {
        settle = (error) => {
          release();
          reject(withEffect(error, handling.effect));
        };
        if (signal?.aborted) return onAbort();
        signal?.addEventListener("abort", onAbort, { once: true });
        const shown = kind.withOptions(work, { ...work.options, signal: controller.signal, deadline: time });
        void enter(shown, passage).then((answer) => (release(), resolve(answer)), settle);
      });
    },
    // Not async: each promise more is paid with every call.
    handle(given) {
      const { options } = given;
      const handled = {
        ...options,
        signal: bothSignals(controller.signal, options.signal),
        deadline: options.deadline ?? time,
      };
      passage.at = "";
      return handling.watch(() => handler(kind.handOn(work, given, handled)), ending.handled);
    },
    end: (error) => ending.end(error),
    endSoon: (error) => ending.endSoon(error),
  };
  return passage;
}

/** When a passage ends before it has an answer, and why. */
interface Ending {
  readonly isOver: boolean;
  readonly reason: ToolportError | undefined;
  /** The time is up or the caller has given up, while the handler has the work. */
  readonly overdue: ToolportError | undefined;
  end(error: ToolportError): void;
  /** Ends it, after the last word of a handler that has the work. */
  stop(error: ToolportError): ToolportError;
  endSoon(error: ToolportError): void;
  /** The handler has answered. */
  readonly handled: () => void;
  release(): void;
}

interface EndingInit {
  readonly handling: Pick<Handling<unknown>, "active" | "effect">;
  readonly clock: Clock;
  readonly settle: (error: ToolportError) => void;
}

function createEnding({ handling, clock, settle }: EndingInit): Ending {
  let isOver = false;
  let reason: ToolportError | undefined;
  let overdue: ToolportError | undefined;
  let soon: ToolportError | undefined;
  let cancelLastWord: Cancel | undefined;

  const end = (error: ToolportError): void => {
    if (isOver) return;
    reason = withEffect(error, handling.effect);
    settle(reason);
  };
  const endSoon = (error: ToolportError): void => {
    soon ??= error;
    if (handling.active > 0 || isOver) return;
    if (handling.effect === "not-sent") end(error);
    else cancelLastWord ??= clock.schedule(lastWordMs, () => end(error));
  };
  return {
    get isOver() {
      return isOver;
    },
    get reason() {
      return reason;
    },
    get overdue() {
      return overdue;
    },
    end,
    stop(error) {
      overdue ??= error;
      if (handling.active === 0) end(error);
      else cancelLastWord ??= clock.schedule(lastWordMs, () => end(error));
      return error;
    },
    endSoon,
    handled() {
      if (soon !== undefined) endSoon(soon);
    },
    release() {
      isOver = true;
      cancelLastWord?.();
    },
  };
}

/** The times that some work is with its handler, and what is known of its effect because of them. */
interface Handling<Answer> {
  readonly active: number;
  /** How many of them have begun. */
  readonly handled: number;
  readonly effect: CallOutcome;
  /** The same of those alone that began later than the first `handled`. */
  effectSince(handled: number): CallOutcome;
  watch(work: () => Promise<Answer>, onSettled: () => void): Promise<Answer>;
}

function createHandling<Of extends Work, Answer>(work: Of, kind: WorkKind<Of, Answer>): Handling<Answer> {
  // Of those that have settled; one is with its handler at a time, and the last of a passage may never settle.
  const effects: CallOutcome[] = [];
  let active = 0;
  const effectSince = (handled: number): CallOutcome =>
    // While the handler has the call, nobody knows: whoever throws meanwhile must not say that it was not sent.
    active > 0 ? "unknown" : effects.slice(handled).reduce(worse, "not-sent");
  return {
    get active() {
      return active;
    },
    get handled() {
      return effects.length + active;
    },
    get effect() {
      return effectSince(0);
    },
    effectSince,
    async watch(handle, onSettled) {
      active += 1;
      try {
        const outcome = await handle();
        effects.push("unknown");
        return outcome;
      } catch (reason) {
        const error = toError(reason, work, kind);
        effects.push(error.outcome);
        throw error;
      } finally {
        active -= 1;
        onSettled();
      }
    },
  };
}

/** A fault of a layer. */
export function layerError<Of extends Work, Answer>(
  work: Of,
  kind: WorkKind<Of, Answer>,
  { problem, cause, outcome }: WorkProblem,
): ToolportError {
  return kind.error(work, "internal_error", { problem: `failed: ${problem}`, outcome, cause });
}

function overdueError<Of extends Work, Answer>(
  work: Of,
  kind: WorkKind<Of, Answer>,
  { timeoutMs, at }: { readonly timeoutMs: number; readonly at: string },
): ToolportError {
  const where = at === "" ? "" : `; the last to have it was ${at}`;
  const problem = `did not finish within ${Math.round(timeoutMs)} ms (${kind.timeSetBy(work)})${where}`;
  return kind.error(work, kind.timeoutCode, { problem, details: { timeoutMs } });
}

function toError<Of extends Work, Answer>(reason: unknown, work: Of, kind: WorkKind<Of, Answer>): ToolportError {
  if (isToolportError(reason)) return reason;
  return kind.error(work, "internal_error", {
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
