import type { Cancel, Clock } from "./clock.ts";
import { createTimeBudget, type Deadline, type SharedDeadline } from "./deadline.ts";
import type { CallOutcome, HostsideErrorCode } from "./hostside-error-code.ts";
import { onAbort } from "./waiting.ts";
import { isHostsideError, withErrorContext, type HostsideError, type HostsideErrorInit } from "./hostside-error.ts";

/** A call or another request that goes through layers. */
export interface Work {
  readonly options: {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly deadline?: SharedDeadline | undefined;
  };
}

/** The end of the way of some work. */
export type Handler<Of extends Work, Answer> = (work: Of) => Promise<Answer>;

/** The time that is left for some work, and the signal that stops it. */
export interface WorkLimits {
  readonly signal: AbortSignal;
  readonly deadline: SharedDeadline;
}

/** What layers have to know of one kind of work. */
export interface WorkKind<Of extends Work, Answer> {
  /** An error about the work: `problem` says what became of it, after a name for it. */
  error(work: Of, code: HostsideErrorCode, problem: WorkProblem): HostsideError;
  readonly timeoutCode: HostsideErrorCode;
  /** Who set its time, for errors. */
  timeSetBy(work: Of): string;
  /**
   * What a layer handed on that is no more the same work, in words; `undefined` when all is well.
   */
  findChange(work: Of, changed: Of | undefined): string | undefined;
  /** Throws for options that no such work may have. */
  assertOptions(options: Of["options"]): void;
  isAnswer(value: unknown): value is Answer;
  /** The answer as one to this work, whoever gave it. */
  sign(answer: Answer, work: Of): Answer;
  /** The same work, bounded; all layers see this one. */
  withBounds(work: Of, bounds: WorkLimits): Of;
  /**
   * What reaches the handler: the identity of `work`, and what layers may change from `given`;
   * bounded, unless options with bounds are given.
   */
  handOn(work: Of, given: Of, bounds: WorkLimits): Of;
}

/** The failure of some work. */
export type WorkProblem = { readonly problem: string } & Pick<HostsideErrorInit, "cause" | "details" | "outcome">;

/** A part of the way, for one piece of work after the other. */
export type CallStep<Of extends Work, Answer> = (work: Of, execution: CallExecution<Of, Answer>) => Promise<Answer>;

/** One piece of work on its way through the layers. */
export interface CallExecution<Of extends Work, Answer> {
  /** Its effect, as far as it is known; `unknown` once a handler answered, because then it ran. */
  readonly effect: CallOutcome;
  /** How often it was with its handler, so that {@linkcode claim} can leave out what was before. */
  readonly handled: number;
  /**
   * An error of a layer, claiming no more than is known of what the handler has done since then.
   */
  claim(error: HostsideError, since: number): HostsideError;
  /** Why nobody may go on with it: its time is up, it was given up, or it is over. */
  readonly ended: HostsideError | undefined;
  /** Which layer has it, for errors. */
  at: string;
  /** Sends it through; settles with its answer or with its end, whichever comes first. */
  run(enter: CallStep<Of, Answer>): Promise<Answer>;
  handle(given: Of): Promise<Answer>;
  /** Ends it at once. */
  end(error: HostsideError): void;
  /**
   * Ends it at once, or a moment after the handler has answered: what became of the work is worth
   * knowing.
   */
  endSoon(error: HostsideError): void;
}

/** The parts of a call execution. */
export interface CallExecutionInit<Of extends Work, Answer> {
  readonly kind: WorkKind<Of, Answer>;
  readonly handler: Handler<Of, Answer>;
  readonly timeoutMs: number;
  readonly mostPausedMs: number;
  readonly clock: Clock;
}

/**
 * How long work that is over is waited for, in milliseconds. A handler that heeds its signal says
 * at once what became of the work, and that is worth knowing. One that does not must not hold it.
 */
export const lastWordMs = 1000;

/** Makes a call execution; its time runs from now on. */
export function createCallExecution<Of extends Work, Answer>(
  work: Of,
  init: CallExecutionInit<Of, Answer>,
): CallExecution<Of, Answer> {
  return new LayeredExecution(work, init);
}

class LayeredExecution<Of extends Work, Answer> implements CallExecution<Of, Answer> {
  at = "";
  readonly #work: Of;
  readonly #init: CallExecutionInit<Of, Answer>;
  readonly #stop = new AbortController();
  readonly #handling: Handling<Of, Answer>;
  readonly #ending: Ending;
  readonly #time: SharedDeadline & Pick<Deadline, "dispose">;
  readonly #bounds: WorkLimits;
  readonly #shown: Of;
  #settle: (error: HostsideError) => void = () => {};
  #ignore: Cancel | undefined;

  constructor(work: Of, init: CallExecutionInit<Of, Answer>) {
    const { kind, timeoutMs, mostPausedMs, clock } = init;
    this.#work = work;
    this.#init = init;
    this.#handling = new Handling(work, kind);
    this.#ending = new Ending({ handling: this.#handling, clock, settle: (error) => this.#settle(error) });
    this.#time = createTimeBudget({
      timeoutMs,
      clock,
      outer: work.options.deadline,
      mostPausedMs,
      onTimeout: () => void this.#ending.stop(overdueError(work, kind, { timeoutMs, at: this.at })),
    });
    this.#bounds = { signal: this.#stop.signal, deadline: this.#time };
    this.#shown = kind.withBounds(work, this.#bounds);
  }

  get effect(): CallOutcome {
    return this.#handling.effect;
  }

  get handled(): number {
    return this.#handling.handled;
  }

  claim(error: HostsideError, since: number): HostsideError {
    return withEffect(error, this.#handling.effectSince(since));
  }

  get ended(): HostsideError | undefined {
    if (!this.#ending.isOver) return this.#ending.overdue;
    const { kind } = this.#init;
    const outcome = this.#handling.effect;
    return this.#ending.reason ?? kind.error(this.#work, "internal_error", { problem: "is over", outcome });
  }

  run(enter: CallStep<Of, Answer>): Promise<Answer> {
    const { signal } = this.#work.options;
    return new Promise<Answer>((resolve, reject) => {
      this.#settle = (error) => {
        this.#release();
        reject(withEffect(error, this.#handling.effect));
      };
      if (signal?.aborted) return this.#onAbort(signal.reason);
      this.#ignore = signal && onAbort(signal, () => this.#onAbort(signal.reason));
      void enter(this.#shown, this).then((answer) => (this.#release(), resolve(answer)), this.#settle);
    });
  }

  // Not async: each promise more is paid with every call.
  handle(given: Of): Promise<Answer> {
    this.at = "";
    const { kind, handler } = this.#init;
    const isOwn = given.options === this.#shown.options;
    const handed = kind.handOn(this.#work, given, isOwn ? this.#bounds : this.#boundsFor(given.options));
    return this.#handling.watch(
      () => handler(handed),
      () => this.#ending.handled(),
    );
  }

  end(error: HostsideError): void {
    this.#ending.end(error);
  }

  endSoon(error: HostsideError): void {
    this.#ending.endSoon(error);
  }

  /** For options that a layer has made: its signal may stop the work, too. */
  #boundsFor({ signal, deadline = this.#time }: Of["options"]): WorkLimits {
    return { signal: bothSignals(this.#stop.signal, signal), deadline };
  }

  #onAbort(reason: unknown): void {
    this.#stop.abort(reason);
    this.#ending.stop(this.#init.kind.error(this.#work, "aborted", { problem: "was aborted", cause: reason }));
  }

  #release(): void {
    this.#ending.release();
    this.#time.dispose();
    this.#ignore?.();
    // What is still under way works for nobody.
    if (this.#ending.reason !== undefined || this.#handling.active > 0) this.#stop.abort(this.#ending.reason);
  }
}

interface EndingInit {
  readonly handling: Pick<Handling<Work, unknown>, "active" | "effect">;
  readonly clock: Clock;
  readonly settle: (error: HostsideError) => void;
}

/** When a call execution ends before it has an answer, and why. */
class Ending {
  readonly #init: EndingInit;
  #isOver = false;
  #reason: HostsideError | undefined;
  #overdue: HostsideError | undefined;
  #soon: HostsideError | undefined;
  #cancelLastWord: Cancel | undefined;

  constructor(init: EndingInit) {
    this.#init = init;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get reason(): HostsideError | undefined {
    return this.#reason;
  }

  /** The time is up or the caller has given up, while the handler has the work. */
  get overdue(): HostsideError | undefined {
    return this.#overdue;
  }

  end(error: HostsideError): void {
    if (this.#isOver) return;
    const { handling, settle } = this.#init;
    this.#reason = withEffect(error, handling.effect);
    settle(this.#reason);
  }

  /** Ends it, after the last word of a handler that has the work. */
  stop(error: HostsideError): HostsideError {
    this.#overdue ??= error;
    if (this.#init.handling.active === 0) this.end(error);
    else this.#awaitLastWord(error);
    return error;
  }

  endSoon(error: HostsideError): void {
    const { handling } = this.#init;
    this.#soon ??= error;
    if (handling.active > 0 || this.#isOver) return;
    if (handling.effect === "not-sent") this.end(error);
    else this.#awaitLastWord(error);
  }

  /** The handler has answered. */
  handled(): void {
    if (this.#soon !== undefined) this.endSoon(this.#soon);
  }

  release(): void {
    this.#isOver = true;
    this.#cancelLastWord?.();
  }

  #awaitLastWord(error: HostsideError): void {
    this.#cancelLastWord ??= this.#init.clock.schedule(lastWordMs, () => this.end(error));
  }
}

/**
 * The times that some work is with its handler, and what is known of its effect because of them.
 */
class Handling<Of extends Work, Answer> {
  // Of those that have settled; one is with its handler at a time, and the last of a call execution
  // may never settle.
  readonly #effects: CallOutcome[] = [];
  readonly #work: Of;
  readonly #kind: WorkKind<Of, Answer>;
  active = 0;

  constructor(work: Of, kind: WorkKind<Of, Answer>) {
    this.#work = work;
    this.#kind = kind;
  }

  /** How many of them have begun. */
  get handled(): number {
    return this.#effects.length + this.active;
  }

  get effect(): CallOutcome {
    return this.effectSince(0);
  }

  /** The same of those alone that began later than the first `handled`. */
  effectSince(handled: number): CallOutcome {
    // While the handler has the call, nobody knows: whoever throws meanwhile must not say that it
    // was not sent.
    return this.active > 0 ? "unknown" : this.#effects.slice(handled).reduce(worse, "not-sent");
  }

  async watch(handle: () => Promise<Answer>, onSettled: () => void): Promise<Answer> {
    this.active += 1;
    try {
      const outcome = await handle();
      this.#effects.push("unknown");
      return outcome;
    } catch (reason) {
      const error = toError(reason, this.#work, this.#kind);
      this.#effects.push(error.outcome);
      throw error;
    } finally {
      this.active -= 1;
      onSettled();
    }
  }
}

/** A fault of a layer. */
export function layerError<Of extends Work, Answer>(
  work: Of,
  kind: WorkKind<Of, Answer>,
  { problem, cause, outcome }: WorkProblem,
): HostsideError {
  return kind.error(work, "internal_error", { problem: `failed: ${problem}`, outcome, cause });
}

function overdueError<Of extends Work, Answer>(
  work: Of,
  kind: WorkKind<Of, Answer>,
  { timeoutMs, at }: { readonly timeoutMs: number; readonly at: string },
): HostsideError {
  const where = at === "" ? "" : `; the last to have it was ${at}`;
  const problem = `did not finish within ${Math.round(timeoutMs)} ms (${kind.timeSetBy(work)})${where}`;
  return kind.error(work, kind.timeoutCode, { problem, details: { timeoutMs } });
}

function toError<Of extends Work, Answer>(reason: unknown, work: Of, kind: WorkKind<Of, Answer>): HostsideError {
  if (isHostsideError(reason)) return reason;
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
function withEffect(error: HostsideError, effect: CallOutcome): HostsideError {
  const outcome = worse(error.outcome, effect);
  return outcome === error.outcome ? error : withErrorContext(error, { outcome });
}

function bothSignals(own: AbortSignal, chosen: AbortSignal | undefined): AbortSignal {
  return chosen === undefined || chosen === own ? own : AbortSignal.any([own, chosen]);
}
