import { systemClock, type Clock } from "./clock.ts";
import { defaultTimeouts } from "./limits.ts";
import {
  createCallExecution,
  layerError,
  type Handler,
  type CallExecution,
  type Work,
  type WorkKind,
  type CallStep,
} from "./call-execution.ts";
import { createSlots } from "./collections.ts";
import { isHostsideError, type HostsideError } from "./hostside-error.ts";

/** The way of all work of one kind: its layers, in front of whatever handles it. */
export interface Pipeline<Of extends Work, Answer> {
  /**
   * Sends work through the layers to `handler`. Without layers it is the handler's answer, and
   * nothing else.
   */
  run(work: Of, handler: Handler<Of, Answer>): Promise<Answer>;
  /**
   * Ends what is with a layer; each rejects with `error` at once. What is with the handler is the
   * handler's to end; when it has, its layers have a second left. With `all`, everything ends at
   * once.
   */
  end(error: HostsideError, all?: boolean): void;
  /**
   * How much is on its way through the layers, what is with the handler included; without layers
   * nothing is counted.
   */
  readonly size: number;
}

/** What a pipeline is made from. */
export interface PipelineInit<Of extends Work, Answer> {
  /** The first one is the outermost. */
  readonly interceptors: readonly Layer<Of, Answer>[];
  /** How long the work may take in all, in milliseconds, when its options do not say. */
  readonly timeoutMsOf: (work: Of) => number;
  /**
   * How long its clock may stand still in all, in milliseconds. Default `elicitTotalMs` of the
   * default timeouts.
   */
  readonly mostPausedMsOf?: ((work: Of) => number) | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** Throws a `TypeError` unless this is an array of functions. */
export function assertLayers(owner: string, layers: unknown): void {
  if (Array.isArray(layers) && layers.every((layer) => typeof layer === "function")) return;
  throw new TypeError(`${owner} must be an array of functions`);
}

/**
 * Folds layers into one another, once, and bounds all work that goes through them. Without layers,
 * work costs nothing here.
 */
export function createPipeline<Of extends Work, Answer>(
  { interceptors, timeoutMsOf, mostPausedMsOf, clock = systemClock }: PipelineInit<Of, Answer>,
  kind: WorkKind<Of, Answer>,
): Pipeline<Of, Answer> {
  assertLayers("interceptors", interceptors);
  if (interceptors.length === 0) return { run: (work, handler) => handler(work), end: () => {}, size: 0 };
  const executions = createSlots<CallExecution<Of, Answer>>();
  const enter = foldLayers(interceptors, kind);

  return {
    async run(work, handler) {
      const execution = createCallExecution(work, {
        kind,
        handler,
        timeoutMs: work.options.timeoutMs ?? timeoutMsOf(work),
        mostPausedMs: mostPausedMsOf?.(work) ?? defaultTimeouts.elicitTotalMs,
        clock,
      });
      const slot = executions.add(execution);
      try {
        return await execution.run(enter);
      } finally {
        executions.remove(slot, execution);
      }
    },
    get size() {
      return executions.size;
    },
    end(error, all = false) {
      for (const execution of executions.values()) {
        if (all) execution.end(error);
        else execution.endSoon(error);
      }
    },
  };
}

/** One layer around some work: it may change it, answer it, refuse it, or look at the answer. */
export type Layer<Of extends Work, Answer> = (work: Of, next: Handler<Of, Answer>) => Promise<Answer>;

/**
 * Puts layers one into the other, the first one outermost; in the middle is the handler of the call
 * execution.
 */
function foldLayers<Of extends Work, Answer>(
  layers: readonly Layer<Of, Answer>[],
  kind: WorkKind<Of, Answer>,
): CallStep<Of, Answer> {
  const innermost: CallStep<Of, Answer> = (work, execution) => execution.handle(work);
  return layers.reduceRight<CallStep<Of, Answer>>(
    (inner, layer, index) => wayThrough({ layer, inner, name: nameOf(layer, index), kind }),
    innermost,
  );
}

interface LayerParts<Of extends Work, Answer> {
  readonly layer: Layer<Of, Answer>;
  readonly inner: CallStep<Of, Answer>;
  readonly name: string;
  readonly kind: WorkKind<Of, Answer>;
}

function wayThrough<Of extends Work, Answer>({
  layer,
  inner,
  name,
  kind,
}: LayerParts<Of, Answer>): CallStep<Of, Answer> {
  return async (work, execution) => {
    let pending = false;
    let left = false;
    const fault = (what: string, cause?: unknown): HostsideError =>
      layerError(work, kind, { problem: `${name} ${what}`, outcome: execution.effect, cause });
    const goOn = async (changed: Of): Promise<Answer> => {
      if (execution.ended !== undefined) throw execution.ended;
      if (left) throw fault("called next() after it had answered");
      if (pending) throw fault("called next() again before it had settled");
      const problem = kind.findChange(work, changed);
      if (problem !== undefined) throw fault(`gave next() ${problem}`);
      if (changed.options !== work.options) assertOptions(changed.options, { kind, fault });
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
      // A layer that answers without waiting for what it started must not end the process with
      // that.
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
      if (isHostsideError(reason)) throw execution.claim(reason, handled);
      throw fault("threw something of its own", reason);
    } finally {
      left = true;
    }
  };
}

interface OptionsCheck<Of extends Work, Answer> {
  readonly kind: WorkKind<Of, Answer>;
  readonly fault: (what: string, cause: unknown) => HostsideError;
}

function assertOptions<Of extends Work, Answer>(
  options: Of["options"],
  { kind, fault }: OptionsCheck<Of, Answer>,
): void {
  try {
    kind.assertOptions(options);
  } catch (reason) {
    const which = reason instanceof TypeError ? `: ${reason.message}` : "";
    throw fault(`gave next() options that no call may have${which}`, reason);
  }
}

function nameOf({ name }: { readonly name: string }, index: number): string {
  return name === "" ? `interceptor ${index + 1}` : `interceptor ${index + 1} (${name})`;
}
