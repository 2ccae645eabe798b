import { systemClock, type Clock } from "./clock.ts";
import { foldLayers, type Layer } from "./layers.ts";
import { defaultTimeouts } from "./limits.ts";
import { createCallExecution, type Handler, type CallExecution, type Work, type WorkKind } from "./call-execution.ts";
import { createSlots } from "./reused-slots.ts";
import type { HostsideError } from "./hostside-error.ts";

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
