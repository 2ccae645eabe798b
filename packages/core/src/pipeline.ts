import { clock, type Cancel } from "./clock.ts";
import { createDeadline, type Deadline, type SharedDeadline } from "./deadline.ts";
import {
  type CallOutcome,
  type HostsideErrorCode,
  isHostsideError,
  withErrorContext,
  type HostsideError,
  type HostsideErrorInit,
} from "./hostside-error.ts";
import { defaultTimeouts } from "./limits.ts";
import { onAbort } from "./waiting.ts";

/** A call or another request that goes through layers. */
export interface Work {
  readonly options: {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly deadline?: SharedDeadline | undefined;
  };
}

/** The time that is left for some work, and the signal that stops it. */
interface WorkLimits {
  readonly signal: AbortSignal;
  readonly deadline: SharedDeadline;
}

type Handler<Of extends Work, Answer> = (work: Of) => Promise<Answer>;

/** One layer around some work: it may change it, answer it, refuse it, or look at the answer. */
interface Layer<Of extends Work, Answer> {
  (work: Of, next: Handler<Of, Answer>): Promise<Answer>;
  readonly passes?: ((work: Of) => boolean) | undefined;
}

type WorkProblem = { readonly problem: string } & Pick<HostsideErrorInit, "cause" | "details" | "outcome">;

/** The rules of one kind of work. */
export interface WorkKind<Of extends Work, Answer> {
  /** Makes an error about the work; `problem` follows a name for it. */
  error(work: Of, code: HostsideErrorCode, problem: WorkProblem): HostsideError;
  readonly timeoutCode: HostsideErrorCode;
  /** The time of work whose options have none, in milliseconds. */
  readonly timeoutMs: number;
  /** Says for errors where the time of the work comes from. */
  timeSetBy(work: Of): string;
  /** Says how a layer made other work of it; `undefined` when it did not. */
  findChange(work: Of, changed: Of | undefined): string | undefined;
  /** Throws for options that no such work may have. */
  assertOptions(options: Of["options"]): void;
  isAnswer(value: unknown): value is Answer;
  /** Makes the answer one to this work, whoever gave it. */
  sign(answer: Answer, work: Of): Answer;
  /**
   * Makes what reaches the handler: the identity of `work`, what layers may change from `given`.
   */
  handOn(work: Of, given: Of, bounds: WorkLimits): Of;
}

/** The way of all work of one kind: its layers, in front of a handler. */
export interface Pipeline<Of extends Work, Answer> {
  /** Sends work through the layers to `handler`. Without layers, only the handler runs. */
  run(work: Of, handler: Handler<Of, Answer>): Promise<Answer>;
  /** Tells whether no layer looks at the work, so that it may go to its handler at once. */
  passes(work: Of): boolean;
  /**
   * Ends what is with a layer; each rejects with `error` at once. The handler ends what it has;
   * when it has, its layers have a second left. With `all`, everything ends at once.
   */
  end(error: HostsideError, all?: boolean): void;
  /** How much is on its way through the layers and with the handler; 0 without layers. */
  readonly size: number;
}

/** The parts of a pipeline. */
export interface PipelineInit<Of extends Work, Answer> {
  /** The first one is the outermost. */
  readonly interceptors: readonly Layer<Of, Answer>[];
  /** The time of work whose options have none, in milliseconds. Default: that of its kind. */
  readonly timeoutMsOf?: ((work: Of) => number) | undefined;
  /** How long the clock may stand still in all, in milliseconds. Default: `elicitTotalMs`. */
  readonly mostPausedMsOf?: ((work: Of) => number) | undefined;
}

/** Throws a `TypeError` unless this is an array of functions. */
export function assertLayers(owner: string, layers: unknown): void {
  if (Array.isArray(layers) && layers.every((layer) => typeof layer === "function")) return;
  throw new TypeError(`${owner} must be an array of functions`);
}

/** Folds layers into one another, once, and bounds all work that goes through them. */
export function createPipeline<Of extends Work, Answer>(
  { interceptors, timeoutMsOf, mostPausedMsOf }: PipelineInit<Of, Answer>,
  kind: WorkKind<Of, Answer>,
): Pipeline<Of, Answer> {
  assertLayers("interceptors", interceptors);
  const passes = (work: Of): boolean => interceptors.every((layer) => letsPass(layer, work));
  if (interceptors.length === 0) return { run: (work, handler) => handler(work), passes, end: () => {}, size: 0 };
  const executions = new Set<Execution<Of, Answer>>();
  const enter = interceptors.reduceRight<Step<Of, Answer>>(
    (inner, layer, index) => stepThrough(layer, nameOf(layer, index), inner),
    (work, execution) => execution.handle(work),
  );
  return {
    async run(work, handler) {
      const execution = new Execution(work, {
        kind,
        handler,
        timeoutMs: work.options.timeoutMs ?? timeoutMsOf?.(work) ?? kind.timeoutMs,
        mostPausedMs: mostPausedMsOf?.(work) ?? defaultTimeouts.elicitTotalMs,
      });
      executions.add(execution);
      try {
        return await execution.run(enter);
      } finally {
        executions.delete(execution);
      }
    },
    passes,
    get size() {
      return executions.size;
    },
    end(error, all = false) {
      for (const execution of Array.from(executions)) {
        if (all) execution.end(error);
        else execution.endSoon(error);
      }
    },
  };
}

/** Tells whether a layer does not look at the work. A layer whose `passes` throws looks at it. */
function letsPass<Of extends Work, Answer>(layer: Layer<Of, Answer>, work: Of): boolean {
  try {
    return layer.passes?.(work) === true;
  } catch {
    return false;
  }
}

type Step<Of extends Work, Answer> = (work: Of, execution: Execution<Of, Answer>) => Promise<Answer>;

function stepThrough<Of extends Work, Answer>(
  layer: Layer<Of, Answer>,
  name: string,
  inner: Step<Of, Answer>,
): Step<Of, Answer> {
  const goThrough: Step<Of, Answer> = async (work, execution) => {
    const { kind } = execution;
    let pending = false;
    let left = false;
    const fault = (what: string, cause?: unknown): HostsideError =>
      execution.error("internal_error", {
        problem: `failed: ${name} ${what}`,
        outcome: execution.effectSince(0),
        cause,
      });
    const assertOptions = (options: Of["options"]): void => {
      try {
        kind.assertOptions(options);
      } catch (reason) {
        const which = reason instanceof TypeError ? `: ${reason.message}` : "";
        throw fault(`gave next() options that no call may have${which}`, reason);
      }
    };
    const goOn = async (changed: Of): Promise<Answer> => {
      if (execution.ended !== undefined) throw execution.ended;
      if (left) throw fault("called next() after it had answered");
      if (pending) throw fault("called next() again before it had settled");
      const problem = kind.findChange(work, changed);
      if (problem !== undefined) throw fault(`gave next() ${problem}`);
      if (changed.options !== work.options) assertOptions(changed.options);
      pending = true;
      try {
        return await inner(changed, execution);
      } finally {
        pending = false;
        execution.at = name;
      }
    };
    const next: Handler<Of, Answer> = (changed) => {
      const answer = goOn(changed);
      // A layer that answers without waiting for what it started must not end the process.
      answer.catch(() => {});
      return answer;
    };
    const { handled } = execution;
    execution.at = name;
    try {
      const answer: unknown = await layer(work, next);
      if (!kind.isAnswer(answer)) throw fault("answered nothing; it returns what next() does, or an outcome");
      return kind.sign(answer, work);
    } catch (reason) {
      // An error claims no more than is known of what the handler has done for this layer.
      if (isHostsideError(reason)) throw withEffect(reason, execution.effectSince(handled));
      throw fault("threw something of its own", reason);
    } finally {
      left = true;
    }
  };
  return (work, execution) => (letsPass(layer, work) ? inner(work, execution) : goThrough(work, execution));
}

function nameOf({ name }: { readonly name: string }, index: number): string {
  return name === "" ? `interceptor ${index + 1}` : `interceptor ${index + 1} (${name})`;
}

interface ExecutionInit<Of extends Work, Answer> {
  readonly kind: WorkKind<Of, Answer>;
  readonly handler: Handler<Of, Answer>;
  readonly timeoutMs: number;
  readonly mostPausedMs: number;
}

/**
 * How long work that is over waits for its handler, in milliseconds. A handler that heeds its
 * signal says at once what became of the work. A handler that does not must not hold it.
 */
export const lastWordMs = 1000;

/** One piece of work on its way through the layers. */
class Execution<Of extends Work, Answer> {
  /** The layer that has the work, for errors; empty while the handler has it. */
  at = "";
  /** How often the handler has begun. It has the work once at a time. */
  handled = 0;
  readonly kind: WorkKind<Of, Answer>;
  readonly #work: Of;
  readonly #init: ExecutionInit<Of, Answer>;
  readonly #stop = new AbortController();
  readonly #time: Deadline;
  readonly #bounds: WorkLimits;
  readonly #shown: Of;
  // What is known of each time that the handler has settled. The last one may never settle.
  readonly #effects: CallOutcome[] = [];
  #isOver = false;
  #reason: HostsideError | undefined;
  #overdue: HostsideError | undefined;
  #soon: HostsideError | undefined;
  #cancelLastWord: Cancel | undefined;
  #ignoreAbort: Cancel | undefined;
  #reject: (error: HostsideError) => void = () => {};

  constructor(work: Of, init: ExecutionInit<Of, Answer>) {
    const { kind, timeoutMs, mostPausedMs } = init;
    this.kind = kind;
    this.#work = work;
    this.#init = init;
    this.#time = createDeadline({
      timeoutMs,
      outer: work.options.deadline,
      mostPausedMs,
      onTimeout: () => this.#stopWith(this.#overdueError()),
    });
    this.#bounds = { signal: this.#stop.signal, deadline: this.#time };
    this.#shown = { ...work, options: { ...work.options, ...this.#bounds } };
  }

  error(code: HostsideErrorCode, problem: WorkProblem): HostsideError {
    return this.kind.error(this.#work, code, problem);
  }

  /**
   * Says what is known of the effect since the handler had begun `handled` times. While the handler
   * has the work, nobody knows.
   */
  effectSince(handled: number): CallOutcome {
    return this.#isHandled ? "unknown" : this.#effects.slice(handled).reduce(worse, "not-sent");
  }

  /** Why nobody may go on with the work: its time is up, it was aborted, or it is over. */
  get ended(): HostsideError | undefined {
    if (!this.#isOver) return this.#overdue;
    return this.#reason ?? this.error("internal_error", { problem: "is over", outcome: this.effectSince(0) });
  }

  /** Sends the work through; settles with its answer or with its end, whichever comes first. */
  run(enter: Step<Of, Answer>): Promise<Answer> {
    const { signal } = this.#work.options;
    return new Promise<Answer>((resolve, reject) => {
      this.#reject = (error) => {
        this.#release();
        reject(withEffect(error, this.effectSince(0)));
      };
      if (signal?.aborted) return this.#onAbort(signal.reason);
      this.#ignoreAbort = signal && onAbort(signal, () => this.#onAbort(signal.reason));
      void enter(this.#shown, this).then((answer) => (this.#release(), resolve(answer)), this.#reject);
    });
  }

  async handle(given: Of): Promise<Answer> {
    const { kind, handler } = this.#init;
    this.at = "";
    this.handled += 1;
    try {
      const answer = await handler(kind.handOn(this.#work, given, this.#boundsFor(given.options)));
      this.#effects.push("unknown");
      return answer;
    } catch (reason) {
      const problem = { problem: "failed in an unforeseen way", outcome: "unknown", cause: reason } as const;
      const error = isHostsideError(reason) ? reason : this.error("internal_error", problem);
      this.#effects.push(error.outcome);
      throw error;
    } finally {
      if (this.#soon !== undefined) this.endSoon(this.#soon);
    }
  }

  /** Ends the work at once. */
  end(error: HostsideError): void {
    if (this.#isOver) return;
    this.#reason = withEffect(error, this.effectSince(0));
    this.#reject(this.#reason);
  }

  /** Ends the work at once, or a moment after the handler has answered. */
  endSoon(error: HostsideError): void {
    this.#soon ??= error;
    if (this.#isHandled || this.#isOver) return;
    if (this.effectSince(0) === "not-sent") this.end(error);
    else this.#awaitLastWord(error);
  }

  get #isHandled(): boolean {
    return this.handled > this.#effects.length;
  }

  #boundsFor(options: Of["options"]): WorkLimits {
    if (options === this.#shown.options) return this.#bounds;
    // A layer may hand on a signal of its own, which stops the work, too.
    const { signal = this.#stop.signal, deadline = this.#time } = options;
    const isOwn = signal === this.#stop.signal;
    return { signal: isOwn ? signal : AbortSignal.any([this.#stop.signal, signal]), deadline };
  }

  #onAbort(reason: unknown): void {
    this.#stop.abort(reason);
    this.#stopWith(this.error("aborted", { problem: "was aborted", cause: reason }));
  }

  /** Ends the work, after the last word of a handler that has it. */
  #stopWith(error: HostsideError): void {
    this.#overdue ??= error;
    if (this.#isHandled) this.#awaitLastWord(error);
    else this.end(error);
  }

  #awaitLastWord(error: HostsideError): void {
    this.#cancelLastWord ??= clock.schedule(lastWordMs, () => this.end(error));
  }

  #overdueError(): HostsideError {
    const { kind, timeoutMs } = this.#init;
    const where = this.at === "" ? "" : `; the last to have it was ${this.at}`;
    const problem = `did not finish within ${Math.round(timeoutMs)} ms (${kind.timeSetBy(this.#work)})${where}`;
    return this.error(kind.timeoutCode, { problem, details: { timeoutMs } });
  }

  #release(): void {
    this.#isOver = true;
    this.#cancelLastWord?.();
    this.#time.dispose();
    this.#ignoreAbort?.();
    // What is still under way works for nobody.
    if (this.#reason !== undefined || this.#isHandled) this.#stop.abort(this.#reason);
  }
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
